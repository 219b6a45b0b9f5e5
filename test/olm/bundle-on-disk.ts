import {readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {parse} from 'yaml';
import type {KubeObject} from '../../install/source/types.js';
import type {Csv} from './render-csv.js';

export const bundleFolder = resolve(import.meta.dirname, '../../olm/bundle');

export interface Bundle {
  readonly csv: Csv;
  readonly definitions: readonly KubeObject[];
  readonly beside: readonly KubeObject[];
}

/** The bundle as it would be in its image. Throws unless there is exactly one ClusterServiceVersion. */
export function readBundle(folder = bundleFolder): Bundle {
  const manifests = join(folder, 'manifests');
  const objects = readdirSync(manifests).map(name => parse(readFileSync(join(manifests, name), 'utf8')) as KubeObject);
  const versions = objects.filter(({kind}) => kind === 'ClusterServiceVersion');
  if (versions.length !== 1) throw new Error(`${versions.length} ClusterServiceVersions in ${manifests}`);
  return {
    csv: versions[0] as Csv,
    definitions: objects.filter(({kind}) => kind === 'CustomResourceDefinition'),
    beside: objects.filter(({kind}) => kind !== 'CustomResourceDefinition' && kind !== 'ClusterServiceVersion'),
  };
}
