import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {parse} from 'yaml';

/** Folder of recorded clusters, beside the repository or beside $CONFORMANCE_DIR; `undefined` when absent. */
export function takeoverData(): string | undefined {
  const conformance = process.env['CONFORMANCE_DIR'];
  const candidates = [
    ...(conformance === undefined ? [] : [join(conformance, '..', 'takeover')]),
    resolve(import.meta.dirname, '..', '..', '..', '..', 'shared', 'takeover'),
  ];
  return candidates.find(path => existsSync(join(path, 'dump-1.19.1')));
}

export interface Definition {
  readonly metadata: {readonly name: string; readonly resourceVersion?: string};
  readonly spec: {
    readonly group: string;
    readonly names: {readonly plural: string; readonly kind: string};
    readonly versions: readonly {readonly name: string; readonly served: boolean; readonly storage: boolean}[];
  };
}

/** CustomResourceDefinitions of a folder, zipped ones too. */
export function readDefinitions(folder: string): readonly Definition[] {
  return readdirSync(folder)
    .filter(name => /\.yaml(\.gz)?$/.test(name))
    .sort()
    .map(name => {
      const bytes = readFileSync(join(folder, name));
      return parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')) as Definition;
    });
}
