import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {builtProgram} from '../cluster/go-program.js';

const room = import.meta.dirname;

/** Path of a plug-in by Sigstore's own handler of the protocol; built once, a minute. */
export function keyPlugin(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(room, name)));
  const target = resolve(room, `../../.cache/images-tools/key-plugin-${hash.digest('hex').slice(0, 12)}`);
  return builtProgram({target, room, modfile: 'go.mod', package: '.', toolchain: 'local'});
}
