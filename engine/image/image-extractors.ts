import type {Budget} from '../budget.js';
import {CompileError, EvalError} from '../diagnostic.js';
import {compileQuery} from '../jmespath/index.js';
import type {CompiledQuery, FunctionEnv} from '../jmespath/types.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {objects, text} from '../policy/access.js';
import {type FoundImage, foundImage, podImages} from './extract-images.js';

/** Kind → where its images stand. A kind that is named here has no other images. */
export type ImageExtractors = ReadonlyMap<string, readonly ImageExtractor[]>;

interface ImageExtractor {
  readonly path: string;
  readonly fields: readonly string[];
  readonly value: string;
  readonly list: string;
  readonly key: string | undefined;
  readonly query: CompiledQuery | undefined;
}

/** Compiles a rule's `imageExtractors`, found at `path`. Throws `CompileError`. */
export function compileExtractors(raw: JsonObject | undefined, path: string): ImageExtractors {
  const found = new Map<string, readonly ImageExtractor[]>();
  for (const kind of Object.keys(raw ?? {})) {
    found.set(
      kind,
      objects(raw, kind).map((entry, index) => compileExtractor(entry, `${path}.${kind}[${index}]`)),
    );
  }
  return found;
}

function compileExtractor(entry: JsonObject, path: string): ImageExtractor {
  const written = text(entry, 'path') ?? '';
  const fields = written
    .split('/')
    .map(field => field.trim())
    .filter(field => field !== '');
  const value = text(entry, 'value') || fields.at(-1);
  if (value === undefined)
    throw new CompileError({code: 'extractor-path', path: `${path}.path`, message: 'path is required'});
  const jmesPath = text(entry, 'jmesPath');
  return {
    path: written,
    fields: text(entry, 'value') ? fields : fields.slice(0, -1),
    value,
    list: text(entry, 'name') || 'custom',
    key: text(entry, 'key') || undefined,
    query: jmesPath ? compileQuery(jmesPath) : undefined,
  };
}

/** The object's images: by its kind's extractors, else as Pods and their controllers hold them. Throws `EvalError`. */
export function findImages(
  {
    kind,
    resource,
    extractors,
  }: {readonly kind: string; readonly resource: JsonObject; readonly extractors: ImageExtractors},
  env: FunctionEnv & {readonly budget: Budget},
): readonly FoundImage[] {
  const own = extractors.get(kind);
  if (own === undefined) return podImages(kind, resource, env.loader.imageDefaults) ?? [];
  const found: FoundImage[] = [];
  for (const extractor of own) new Walk(extractor, env, found).from(resource, 0, []);
  return found;
}

class Walk {
  constructor(
    readonly extractor: ImageExtractor,
    readonly env: FunctionEnv & {readonly budget: Budget},
    readonly found: FoundImage[],
  ) {}

  /** What is not there holds no image; what is there in another shape is not passed over. */
  from(value: Json | undefined, depth: number, path: readonly string[]): void {
    this.env.budget.step();
    if (value === undefined || value === null) return;
    const field = this.extractor.fields[depth];
    if (field === '*') {
      for (const [key, item] of this.#items(value)) this.from(item, depth + 1, [...path, key]);
      return;
    }
    if (!isObject(value))
      throw new EvalError(`imageExtractors path ${this.extractor.path}: invalid image config at /${path.join('/')}`);
    if (field === undefined) this.#at(value, path);
    else this.from(own(value, field), depth + 1, [...path, field]);
  }

  #items(value: Json): ReadonlyArray<readonly [string, Json]> {
    if (Array.isArray(value)) return value.map((item, index) => [String(index), item] as const);
    if (isObject(value)) return Object.entries(value);
    throw new EvalError(`imageExtractors path ${this.extractor.path}: * stands for the elements of a list or map`);
  }

  #at(holder: JsonObject, path: readonly string[]): void {
    const {value, key, list, query} = this.extractor;
    const written = own(holder, value);
    if (typeof written !== 'string' || written.trim() === '') return;
    const place = [...path, value];
    const name = key === undefined ? `/${place.join('/')}` : own(holder, key);
    if (typeof name !== 'string')
      throw new EvalError(`imageExtractors path ${this.extractor.path}: invalid key ${String(key)}`);
    const taken = query === undefined ? written : query.evaluate(written, this.env);
    if (typeof taken !== 'string')
      throw new EvalError(`imageExtractors path ${this.extractor.path}: jmesPath did not come to a string`);
    if (taken.trim() !== '')
      this.found.push(foundImage({list, key: name, path: place, text: taken}, this.env.loader.imageDefaults));
  }
}
