import {join, resolve} from 'node:path';
import {builtProgram} from '../../test/cluster/go-program.js';

/** Path of the program that puts layers together; built once from its module into `.cache/packaging-tools/`. */
export function imageTool(): Promise<string> {
  return builtProgram({
    target: join(resolve(import.meta.dirname, '../../.cache'), 'packaging-tools', 'image-0.22.1'),
    room: import.meta.dirname,
    modfile: 'go.mod',
    package: '.',
    toolchain: 'local',
  });
}
