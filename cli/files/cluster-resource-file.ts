import type {JsonObject} from '../../engine/json/types.js';
import {readStrictFile} from './documents.js';
import {FileError, messageOf} from './file-error.js';
import {list, metadata, object, struct, text} from './strict.js';

export interface ClusterResourceFile {
  /** Paths of CRD files. */
  readonly crds: readonly string[];
  readonly resources: readonly JsonObject[];
}

const decode = struct({
  apiVersion: text,
  kind: text,
  metadata,
  spec: struct({crds: list(text), resources: list(object)}),
});

export async function loadClusterResourceFile(path: string): Promise<ClusterResourceFile> {
  try {
    const {spec} = decode(await readStrictFile(path), '');
    return {crds: spec?.crds ?? [], resources: spec?.resources ?? []};
  } catch (error) {
    throw new FileError(`failed to load cluster resources ${path}: ${messageOf(error)}`);
  }
}
