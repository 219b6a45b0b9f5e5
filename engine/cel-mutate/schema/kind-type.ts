import type {RuleRun} from '../../context/rule-run.js';
import type {JsonObject} from '../../json/types.js';
import {builtInType} from './built-in.js';
import {typeOfResourceSchema} from './from-openapi.js';
import type {StructuralType} from './types.js';

/** One conversion per schema; the loader hands out the same object until its definition changes. */
const converted = new WeakMap<JsonObject, StructuralType>();

/**
 * Type of a kind: Kubernetes' own ones are known, others are asked for. `undefined`: nobody described it. Throws EvalError,
 * and Suspend to wait.
 */
export function kindType(
  run: Pick<RuleRun, 'loader' | 'settle'>,
  apiVersion: string,
  kind: string,
): StructuralType | undefined {
  const known = builtInType(apiVersion, kind);
  if (known !== undefined) return known;
  const {loader} = run;
  const schema = run.settle(`schema:${apiVersion}/${kind}`, options => loader.kindSchema?.(apiVersion, kind, options));
  if (schema === undefined) return undefined;
  const type = converted.get(schema) ?? typeOfResourceSchema(schema);
  converted.set(schema, type);
  return type;
}
