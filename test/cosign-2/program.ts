import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {builtProgram} from '../cluster/go-program.js';

const room = import.meta.dirname;

/** Path of the whole of cosign 2, its last release; built once, for many minutes. */
export function cosign2(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['go.mod', 'go.sum']) hash.update(readFileSync(join(room, name)));
  const target = resolve(room, `../../.cache/images-tools/cosign-2-${hash.digest('hex').slice(0, 12)}`);
  return builtProgram({target, room, modfile: 'go.mod', package: 'github.com/sigstore/cosign/v2/cmd/cosign', toolchain: 'local'});
}
