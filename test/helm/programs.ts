import {join, resolve} from 'node:path';
import {builtProgram} from '../cluster/go-program.js';

/** Path of helm; built once from its module into `.cache/packaging-tools/`, some minutes. */
export function helm(): Promise<string> {
  return builtProgram({
    target: join(resolve(import.meta.dirname, '../../.cache'), 'packaging-tools', 'helm-3.22.0'),
    room: import.meta.dirname,
    modfile: 'go.mod',
    package: 'helm.sh/helm/v3/cmd/helm',
    toolchain: 'local',
  });
}
