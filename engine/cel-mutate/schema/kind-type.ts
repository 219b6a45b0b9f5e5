import type {RuleRun} from '../../context/rule-run.js';
import {isPromise} from '../../context/suspend.js';
import type {MaybePromise} from '../../context-loader.js';
import type {JsonObject} from '../../json/types.js';
import {builtInType} from './built-in.js';
import {typeOfResourceSchema, typesOfDocument} from './from-openapi.js';
import type {StructuralType} from './types.js';

type Run = Pick<RuleRun, 'loader' | 'settle'>;
/** What is kept of an answer in a request: types may contain themselves, which no walk over values would survive. */
type Kept = (() => StructuralType) | undefined;
type DocumentTypes = ReturnType<typeof typesOfDocument>;

/** One conversion per schema and document; the loader hands out the same object until it changes. */
const schemaTypes = new WeakMap<JsonObject, StructuralType>();
const documentTypes = new WeakMap<JsonObject, DocumentTypes>();

/**
 * Type of a kind: Kubernetes' own ones are known, others are asked for. `undefined`: nobody described it. Throws EvalError,
 * and Suspend to wait.
 */
export function kindType(run: Run, apiVersion: string, kind: string): StructuralType | undefined {
  const known = builtInType(apiVersion, kind);
  if (known !== undefined) return known;
  const {loader} = run;
  const kept = run.settle<Kept>(`schema:${apiVersion}/${kind}`, options =>
    then(loader.kindSchema?.(apiVersion, kind, options), schema => {
      const type = schema && typeOfSchema(schema);
      return type && (() => type);
    }),
  );
  return kept === undefined ? publishedType(run, apiVersion, kind) : kept();
}

/** Type of a kind as the API server itself publishes it, which is newer than what we know of built-in kinds. */
export function publishedType(run: Run, apiVersion: string, kind: string): StructuralType | undefined {
  const {loader} = run;
  const kept = run.settle<Kept>(`openapi:${apiVersion}/${kind}`, options =>
    then(loader.openApi?.(apiVersion, options), document => {
      const type = document && typesOf(document)(apiVersion, kind);
      return type && (() => type);
    }),
  );
  return kept?.();
}

function typeOfSchema(schema: JsonObject): StructuralType {
  const type = schemaTypes.get(schema) ?? typeOfResourceSchema(schema);
  schemaTypes.set(schema, type);
  return type;
}

function typesOf(document: JsonObject): DocumentTypes {
  const types = documentTypes.get(document) ?? typesOfDocument(document);
  documentTypes.set(document, types);
  return types;
}

function then<T, R>(value: MaybePromise<T>, make: (value: T) => R): MaybePromise<R> {
  return isPromise(value) ? value.then(make) : make(value);
}
