import {readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {parse} from 'yaml';

export interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: {readonly openAPIV3Schema: Schema};
  readonly subresources?: {readonly status?: object};
  readonly additionalPrinterColumns?: readonly Column[];
  readonly selectableFields?: ReadonlyArray<{readonly jsonPath: string}>;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {readonly name: string};
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly versions: readonly Version[];
  };
}

const directory = resolve(import.meta.dirname, '..');

/** The manifests as they lie in this folder, by `metadata.name`. */
export function readManifests(): ReadonlyMap<string, Manifest> {
  const files = readdirSync(directory).filter(name => name.endsWith('.yaml'));
  const manifests = files.map(name => parse(readFileSync(join(directory, name), 'utf8')) as Manifest);
  return new Map(manifests.map(manifest => [manifest.metadata.name, manifest]));
}
