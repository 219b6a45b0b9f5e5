import {createHash} from 'node:crypto';
import {readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {builtProgram} from '../cluster/go-program.js';

const room = import.meta.dirname;
const cache = resolve(room, '../../.cache/images-tools');

/** Path of the tool with the registries, the notation signer and the keyless signer; built once, some minutes. */
export function imagesTool(): Promise<string> {
  return tool('images');
}

/** Path of cosign, the commands that sign; built once, some minutes. */
export function cosign(): Promise<string> {
  return tool('cosign');
}

function tool(name: string): Promise<string> {
  return builtProgram({
    target: join(cache, `${name}-${version()}`),
    room,
    modfile: 'go.mod',
    package: `./tools/${name}`,
    toolchain: 'local',
  });
}

/** Changes with the sources. */
function version(): string {
  const hash = createHash('sha256');
  const files = readdirSync(room, {recursive: true, encoding: 'utf8'}).filter(name => /\.go$|^go\.(mod|sum)$/.test(name));
  for (const name of files.sort()) hash.update(name).update('\0').update(readFileSync(join(room, name)));
  return hash.digest('hex').slice(0, 12);
}
