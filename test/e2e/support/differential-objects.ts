import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {apiServerEnvironment} from '../../../engine/cel-policies/environment/environments.js';
import {dynType} from '../../../engine/cel/types/type.js';
import {children, type Expr, parse} from '../../../engine/cel/syntax/index.js';
import {pick} from '../../../engine/json/testing/random.js';
import type {DifferentialPolicy, Judging} from './differential-policies.js';
import type {Thing} from './policies.js';

type Value = null | boolean | number | string | Value[] | {[key: string]: Value};
type Holder = {[key: string]: Value} | Value[];

/** One place in an object. */
interface Place {
  readonly holder: Holder;
  readonly key: string | number;
}

export interface ObjectSource {
  /** A new object, made from one that the policy takes or refuses. */
  next(): Thing;
  /** What expressions read of `object`. */
  readonly paths: readonly string[];
}

function textsOf({matchConditions = [], variables = [], validations}: Judging): string[] {
  return [...matchConditions, ...variables, ...validations].map(({expression}) => expression);
}

/** Objects from the policy's own constants and what stands in its fields, changed in the fields that its expressions read. */
export function objectSource(policy: DifferentialPolicy, random: () => number): ObjectSource {
  const environment = apiServerEnvironment(createRegexEngine()).extend({variables: {variables: dynType, exceptions: dynType}});
  const texts = [...textsOf(policy.spec), ...(policy.native === undefined ? [] : textsOf(policy.native))];
  const paths = new Set<string>();
  const constants = new Set<string | number | boolean>([0, 1, 'x']);
  for (const text of texts) {
    const {program, text: fault} = environment.compile(text);
    if (program === undefined) throw new Error(`${policy.name}: ${fault}`);
    for (const path of program.paths.get('object') ?? []) if (path !== '') paths.add(path);
    const {expr} = parse(text, {twoVariableMacros: true});
    if (expr !== undefined) collect(expr, constants);
  }
  for (const base of [...policy.taken, ...policy.refused]) for (const path of paths) collectLeaves(placeOf(base as unknown as {[key: string]: Value}, path.split('.')), constants);
  const known = [...paths].sort();
  const pool = [...constants];
  let serial = 0;

  function next(): Thing {
    serial += 1;
    const base = structuredClone(pick(random, serial % 2 === 0 ? policy.taken : policy.refused));
    const changes = Math.floor(random() * 4);
    for (let change = 0; change < changes; change += 1) mutate(base as unknown as {[key: string]: Value});
    return base;
  }

  function mutate(object: {[key: string]: Value}): void {
    const place = descend(placeOf(object, pick(random, known).split('.')));
    if (place === undefined) return;
    const {holder, key} = place;
    const value = Array.isArray(holder) ? holder[key as number] : holder[key];
    if (random() < 0.15) remove(place);
    else put(place, changed(value));
  }

  /** The place itself, or one below it. */
  function descend(place: Place | undefined): Place | undefined {
    let at = place;
    while (at !== undefined) {
      const value = valueAt(at);
      if (typeof value !== 'object' || value === null) return at;
      const keys = Array.isArray(value) ? value.map((_item, index) => index) : Object.keys(value);
      if (keys.length === 0 || random() < 0.1) return at;
      at = {holder: value, key: pick<string | number>(random, keys)};
    }
    return undefined;
  }

  function changed(value: Value | undefined): Value {
    switch (typeof value) {
      case 'number': {
        const numbers = pool.filter(constant => typeof constant === 'number');
        return random() < 0.5 ? pick(random, numbers) : value + pick(random, [-1, 1, 10]);
      }
      case 'boolean':
        return !value;
      case 'string': {
        const words = pool.filter(constant => typeof constant === 'string');
        const word = pick(random, words);
        return pick(random, [word, word, value + word, word + value, value.toUpperCase(), `${value}-x`, String(pick(random, pool))]);
      }
      default:
        if (Array.isArray(value)) return random() < 0.5 ? [...value, ...value.slice(0, 1)] : value.slice(1);
        return value === undefined ? pick<Value>(random, pool) : value;
    }
  }

  return {next, paths: known};
}

function collect(expr: Expr, constants: Set<string | number | boolean>): void {
  if (expr.kind === 'literal') {
    const {value} = expr as {readonly value?: unknown};
    if (typeof value === 'string' && value !== '') constants.add(value);
    if (typeof value === 'number' || typeof value === 'bigint') constants.add(Number(value));
  }
  for (const child of children(expr)) collect(child, constants);
}

/** What stands in objects at a place that is read. */
function collectLeaves(place: Place | undefined, constants: Set<string | number | boolean>): void {
  const value = place && valueAt(place);
  if (value === undefined || value === null) return;
  if (typeof value !== 'object') constants.add(value);
  else if (Array.isArray(value)) for (const key of value.keys()) collectLeaves({holder: value, key}, constants);
  else for (const key of Object.keys(value)) collectLeaves({holder: value, key}, constants);
}

/** As deep as the object goes, and one step more. */
function placeOf(object: {[key: string]: Value}, path: readonly string[]): Place | undefined {
  let holder: Holder = object;
  for (const [index, key] of path.entries()) {
    if (Array.isArray(holder)) return undefined;
    const value: Value | undefined = holder[key];
    if (index === path.length - 1 || typeof value !== 'object' || value === null) return {holder, key};
    holder = value;
  }
  return undefined;
}

function valueAt({holder, key}: Place): Value | undefined {
  return Array.isArray(holder) ? holder[key as number] : holder[key];
}

function remove({holder, key}: Place): void {
  if (Array.isArray(holder)) holder.splice(key as number, 1);
  else delete holder[key];
}

function put({holder, key}: Place, value: Value): void {
  if (Array.isArray(holder)) holder[key as number] = value;
  else holder[key] = value;
}
