import type {Manifest} from '../cluster/install-operator.js';
import {readBundle} from '../olm/bundle-on-disk.js';
import {renderCsv} from '../olm/render-csv.js';
import {installSuite} from './install-suite.js';

/** What OLM makes of the bundle in a namespace that an administrator has made. */
async function rendered(): Promise<readonly Manifest[]> {
  const {csv, beside} = readBundle();
  return [{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'kyverno'}} as Manifest, ...(renderCsv(csv, beside, 'kyverno') as readonly Manifest[])];
}

for (const replicas of [1, 3]) installSuite({name: 'the bundle', replicas, objects: rendered});
