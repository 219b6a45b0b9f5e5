import {join, resolve} from 'node:path';
import {builtProgram} from '../cluster/go-program.js';

/** Path of helm; built once from its module into `.cache/packaging-tools/`, some minutes. */
export function helm(): Promise<string> {
  return builtProgram({
    target: join(resolve(import.meta.dirname, '../../.cache'), 'packaging-tools', 'helm-3.22.0-for-1.37'),
    room: import.meta.dirname,
    modfile: 'go.mod',
    package: 'helm.sh/helm/v3/cmd/helm',
    toolchain: 'local',
    // The Kubernetes that it renders for without a cluster, as its releases are built: that of its own client.
    linkerFlags: '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=37',
  });
}
