import {join, resolve} from 'node:path';
import {builtProgram} from '../../cluster/go-program.js';
import {resolveMinor} from '../../cluster/minors.js';

const cache = resolve(import.meta.dirname, '../../../.cache');
const clusterRoom = resolve(import.meta.dirname, '../../cluster');

/** Path of chainsaw; built once from its module into `.cache/conformance-tools/`, some minutes. */
export function chainsaw(): Promise<string> {
  return builtProgram({
    target: join(cache, 'conformance-tools', 'chainsaw-0.2.12'),
    room: import.meta.dirname,
    modfile: 'go.mod',
    package: 'github.com/kyverno/chainsaw',
    toolchain: 'go1.24.6',
  });
}

/** Path of kwok, which lets Pods of nodes that do not exist say that they run. */
export function kwok(): Promise<string> {
  return builtProgram({
    target: join(cache, 'conformance-tools', 'kwok-0.7.0'),
    room: import.meta.dirname,
    modfile: 'kwok.mod',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    toolchain: 'local',
  });
}

/** Path of the scheduler that belongs to the API server of that minor. */
export function scheduler(minor: string): Promise<string> {
  const {version, modfile} = resolveMinor(minor);
  return builtProgram({
    target: join(cache, 'conformance-tools', `kube-scheduler-${version}`),
    room: clusterRoom,
    modfile,
    package: 'k8s.io/kubernetes/cmd/kube-scheduler',
    toolchain: 'local',
    linkerFlags: `-X k8s.io/component-base/version.gitVersion=v${version}`,
  });
}
