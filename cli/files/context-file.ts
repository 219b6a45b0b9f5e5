import type {JsonObject} from '../../engine/json/types.js';
import {readStrictFile} from './documents.js';
import {FileError, messageOf} from './file-error.js';
import {json, list, metadata, object, type Struct, struct, text} from './strict.js';

const image = {
  image: text,
  resolvedImage: text,
  registry: text,
  repository: text,
  tag: text,
  digest: text,
  imageIndex: json,
  manifest: json,
  config: json,
};

/** What a registry would say of one image, as far as it is written down. */
export type ImageMock = Struct<typeof image>;

export interface ContextFile {
  readonly resources: readonly JsonObject[];
  readonly images: readonly ImageMock[];
}

export const emptyContext: ContextFile = {resources: [], images: []};

const decode = struct({
  apiVersion: text,
  kind: text,
  metadata,
  spec: struct({resources: list(object), images: list(struct(image))}),
});

/** What CEL policies look up; classic policies never read it. */
export async function loadContextFile(path: string): Promise<ContextFile> {
  try {
    const {spec} = decode(await readStrictFile(path), '');
    return {resources: spec?.resources ?? [], images: spec?.images ?? []};
  } catch (error) {
    throw new FileError(`failed to load context file ${path}: ${messageOf(error)}`);
  }
}
