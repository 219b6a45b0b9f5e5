import {Buffer} from 'node:buffer';
import {gunzipSync} from 'node:zlib';
import {EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../json/types.js';
import {parseYamlDocuments} from '../yaml/index.js';
import {filesOfTar} from './tar.js';

/** A signature as it came with the message. */
export interface MessageSignature {
  readonly signature: string;
  /** PEM. */
  readonly certificate: string | undefined;
  /** JSON of the log's entry. */
  readonly bundle: string | undefined;
}

export interface SignedMessage {
  /** What the signatures are over. */
  readonly payload: Uint8Array;
  /** Objects that were signed. */
  readonly manifests: readonly JsonObject[];
  readonly signatures: readonly MessageSignature[];
}

/** Far more than annotations can hold: what grows beyond is made to. */
const maxBytes = 4 * 1024 * 1024;
const mostSignatures = 20;

/**
 * What an object's annotations carry: `message` is compressed YAML, or a compressed archive of it, `signature`,
 * `certificate` and `bundle` (and the same with `_1`, `_2` …) are what vouches for it. Throws `EvalError`.
 */
export function readSignedMessage(resource: JsonObject, domain: string): SignedMessage {
  const annotations = ownPath(resource, 'metadata', 'annotations');
  const read = (name: string): string | undefined => {
    const value = isObject(annotations) ? own(annotations, `${domain}/${name}`) : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  if (read('resourceBundleRef') !== undefined)
    throw new EvalError(`annotation ${domain}/resourceBundleRef: manifests in images are not read`);
  const message = read('message');
  if (message === undefined) throw new EvalError(`the object has no annotation ${domain}/message`);
  const payload = decompressed(message, `${domain}/message`);
  return {payload, manifests: manifestsOf(payload), signatures: signaturesOf(read)};
}

function signaturesOf(read: (name: string) => string | undefined): MessageSignature[] {
  const signatures: MessageSignature[] = [];
  for (let index = 0; index <= mostSignatures; index++) {
    const suffix = index === 0 ? '' : `_${index}`;
    const signature = read(`signature${suffix}`);
    if (signature === undefined) {
      if (index > 0) break;
      continue;
    }
    signatures.push({
      signature,
      certificate: decompressedText(read(`certificate${suffix}`)),
      bundle: decompressedText(read(`bundle${suffix}`)),
    });
  }
  return signatures;
}

function manifestsOf(payload: Uint8Array): JsonObject[] {
  const files = isGzip(payload) ? filesOfTar(gunzip(payload, 'the signed message')) : [payload];
  return files.flatMap(file =>
    parseYamlDocuments(Buffer.from(file).toString('utf8')).flatMap(({value, error}) =>
      error === undefined ? objectsIn(value) : [],
    ),
  );
}

function objectsIn(value: Json | undefined): JsonObject[] {
  if (!isObject(value)) return [];
  const items = own(value, 'items');
  return own(value, 'kind') === 'List' && Array.isArray(items) ? items.filter(isObject) : [value];
}

function decompressed(base64: string, what: string): Uint8Array {
  const bytes = Buffer.from(base64, 'base64');
  if (!isGzip(bytes)) throw new EvalError(`${what} is not compressed by gzip`);
  return gunzip(bytes, what);
}

function decompressedText(base64: string | undefined): string | undefined {
  return base64 === undefined
    ? undefined
    : Buffer.from(decompressed(base64, 'an annotation beside the message')).toString('utf8');
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function gunzip(bytes: Uint8Array, what: string): Uint8Array {
  try {
    return gunzipSync(bytes, {maxOutputLength: maxBytes});
  } catch (error) {
    throw new EvalError(`${what} cannot be decompressed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
