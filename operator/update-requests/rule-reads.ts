import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../../engine/json/types.js';

const objectPath = /\brequest\.(?:object|oldObject)((?:\.(?:[A-Za-z_][A-Za-z0-9_-]*|"[^"]{1,200}"))*)/g;
const step = /\.(?:"([^"]+)"|([A-Za-z_][A-Za-z0-9_-]*))/g;

export interface RuleReads {
  readonly reads: readonly (readonly string[])[];
  readonly readsOld: boolean;
  readonly needsRequest: boolean;
  readonly repeats: boolean;
}

/** What a rule's text asks of its request. Reads too much rather than too little. */
export function readsOf(rule: Json): RuleReads {
  const texts: string[] = [];
  collect(rule, texts);
  const text = texts.join('\n');
  const reads = new Map<string, readonly string[]>();
  for (const [, path = ''] of text.matchAll(objectPath)) {
    const steps = [...path.matchAll(step)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    reads.set(JSON.stringify(steps), steps);
  }
  return {
    reads: [...reads.values()],
    readsOld: /\brequest\.oldObject\b|\boldObject\b/.test(text),
    needsRequest: /\brequest\.(?:userInfo|roles|clusterRoles|uid|options|dryRun|subResource|requestSubResource)\b|\bserviceAccount(?:Name|Namespace)\b/.test(text),
    repeats: /\b(?:random|time_now|time_now_utc)\s*\(|\btime\.now\s*\(/.test(text),
  };
}

const celPath = /\b(?:oldObject|object)\b((?:\.\??[A-Za-z_]\w*|\[\??(?:"[^"\]]{1,200}"|'[^'\]]{1,200}')\])*)(\s*\()?/g;
const celStep = /\.\??([A-Za-z_]\w*)|\[\??["']([^"'\]]+)["']\]/g;

/** The same of a policy written in CEL, which names the objects without `request`. */
export function celReadsOf(spec: Json): RuleReads {
  const texts: string[] = [];
  collect(spec, texts);
  const reads = new Map<string, readonly string[]>();
  for (const text of texts) {
    for (const [, path = '', call] of text.matchAll(celPath)) {
      const steps = [...path.matchAll(celStep)].map(([, plain, quoted]) => plain ?? quoted ?? '');
      // The last word of a call is a function's.
      const read = call === undefined ? steps : steps.slice(0, -1);
      reads.set(JSON.stringify(read), read);
    }
  }
  return {...readsOf(spec), reads: [...reads.values()]};
}

function collect(value: Json, into: string[]): void {
  if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      into.push(key);
      collect(item, into);
    }
  }
}

const secretData = ['data', 'stringData'];
/** Annotations in which tools keep the whole object as it was handed to them. */
const copies = ['kubectl.kubernetes.io/last-applied-configuration', 'kapp.k14s.io/original', 'banzaicloud.com/last-applied'];
const annotations = ['metadata', 'annotations'];

/** Whether what rules read lies within a Secret's data, or a copy of it. */
export function readsSecretData(object: JsonObject | undefined, reads: ReadonlyArray<readonly string[]>): boolean {
  return object !== undefined && isSecretObject(object) && reads.some(([first, second, third = '']) => first === undefined || secretData.includes(first) || (second === 'annotations' && copies.includes(third)));
}

function isSecretObject(object: JsonObject): boolean {
  return own(object, 'kind') === 'Secret' && textOf(own(object, 'apiVersion')) === 'v1';
}

/** Of an object, what names it and what the rules read; never the data of a Secret. */
export function keptParts(object: JsonObject, reads: ReadonlyArray<readonly string[]>): JsonObject {
  const kept: JsonObject = {};
  const isSecret = isSecretObject(object);
  for (const path of [['apiVersion'], ['kind'], ['metadata', 'name'], ['metadata', 'namespace'], ['metadata', 'uid'], ['metadata', 'labels']]) copyPath(object, kept, path);
  const noted = ownPath(object, ...annotations);
  // Any annotation of a Secret may tell of its data: only what is read is kept.
  if (isObject(noted) && !isSecret) copyPath({metadata: {annotations: withoutKeys(noted, copies)}}, kept, annotations);
  for (const path of reads) {
    if (path.length === 0) for (const [key, value] of Object.entries(object)) setOwn(kept, key, value);
    else copyPath(object, kept, path);
  }
  const metadata = own(kept, 'metadata');
  if (isObject(metadata)) kept['metadata'] = isSecret ? withoutCopies(withoutKeys(metadata, ['managedFields'])) : withoutKeys(metadata, ['managedFields']);
  return isSecret ? withoutKeys(kept, secretData) : kept;
}

function withoutCopies(metadata: JsonObject): JsonObject {
  const noted = own(metadata, 'annotations');
  return isObject(noted) ? {...metadata, annotations: withoutKeys(noted, copies)} : metadata;
}

function copyPath(from: JsonObject, to: JsonObject, path: readonly string[]): void {
  const [first = '', ...rest] = path;
  const value = own(from, first);
  if (value === undefined) return;
  const known = own(to, first);
  if (rest.length === 0 || !isObject(value)) {
    setOwn(to, first, value);
    return;
  }
  // A whole that was taken before holds the part already.
  if (known === value) return;
  const inner: JsonObject = isObject(known) ? {...known} : {};
  copyPath(value, inner, rest);
  setOwn(to, first, inner);
}

function withoutKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
