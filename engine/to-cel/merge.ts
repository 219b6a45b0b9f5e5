import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {parseAnchor} from '../pattern/index.js';
import {all, always, not, one, type Test, quoted, Unconvertible} from './code.js';
import {isFieldName, literalText} from './literal.js';
import {patternCode} from './pattern.js';
import type {QueryScope} from './query.js';
import {templateValue} from './template.js';
import {listText, pathValue, select, type Value} from './value.js';

/** Lists of Kubernetes' own kinds whose elements are merged by a key. */
const mergeKeys: ReadonlyMap<string, string> = new Map([
  ['containers', 'name'],
  ['initContainers', 'name'],
  ['ephemeralContainers', 'name'],
  ['env', 'name'],
  ['volumes', 'name'],
  ['volumeMounts', 'mountPath'],
  ['volumeDevices', 'devicePath'],
  ['hostAliases', 'ip'],
]);

/** Lists with a key for merge patches that the API server's schema takes for one value. */
const mergedOnly: ReadonlySet<string> = new Set(['imagePullSecrets']);

export interface MergeOptions {
  readonly scope: QueryScope;
  /** In a loop: the list that is walked, its element's name and whether an element takes part. */
  readonly loop?: {readonly list: string; readonly name: string; readonly applies: Test};
}

export interface Merge {
  /** `Object{…}`. */
  readonly expression: string;
  /** Anchors outside of lists: what has to hold for anything to change. */
  readonly conditions: readonly Test[];
  /** Some list is replaced as a whole. */
  readonly atomic: boolean;
}

/** A strategic merge patch as an expression that makes what is merged into the object. Throws `Unconvertible`. */
export function mergeCode(patch: JsonObject, path: string, options: MergeOptions): Merge {
  const walk = new Walk(options);
  const expression = walk.map(patch, {path, type: 'Object', value: pathValue({holder: 'object', keys: []}), keys: [], inList: false});
  return {expression, conditions: walk.conditions, atomic: walk.atomic};
}

interface Place {
  readonly path: string;
  readonly type: string;
  /** What the object has there. */
  readonly value: Value;
  /** From the object, while no list is on the way. */
  readonly keys: readonly string[];
  readonly inList: boolean;
}

class Walk {
  readonly conditions: Test[] = [];
  atomic = false;
  readonly #options: MergeOptions;

  constructor(options: MergeOptions) {
    this.#options = options;
  }

  map(patch: JsonObject, place: Place): string {
    const fields: string[] = [];
    const keys = Object.keys(patch).map(key => parseAnchor(key)?.key ?? key);
    const asMap = !keys.every(isFieldName);
    for (const [key, item] of Object.entries(patch)) {
      const anchor = parseAnchor(key);
      const name = anchor?.key ?? key;
      const label = asMap ? quoted(name) : name;
      const inner: Place = {
        path: `${place.path}.${key}`,
        type: `${place.type}.${name}`,
        value: select(place.value, name),
        keys: [...place.keys, name],
        inList: place.inList,
      };
      switch (anchor?.kind) {
        case undefined: {
          const text = this.#value(item, inner);
          if (text !== undefined) fields.push(`${text.optional ? '?' : ''}${label}: ${text.text}`);
          break;
        }
        case 'addIfAbsent': {
          const {path} = inner.value;
          if (path === undefined) throw new Unconvertible(inner.path, 'an add-if-absent anchor here');
          const literal = this.#literal(item, inner);
          fields.push(`?${label}: ${chainOf(inner.value)}.hasValue() ? optional.none() : optional.of(${literal})`);
          break;
        }
        case 'conditional':
        case 'global':
          if (place.inList) throw new Unconvertible(inner.path, 'an anchor below a list');
          this.conditions.push(this.#condition(place.keys, {[anchor.kind === 'global' ? `=(${name})` : name]: item}, inner.path));
          break;
        default:
          throw new Unconvertible(inner.path, `the anchor of ${key} in a patch`);
      }
    }
    return asMap ? `{${fields.join(', ')}}` : `${place.type}{${fields.join(', ')}}`;
  }

  #condition(keys: readonly string[], leaf: JsonObject, path: string): Test {
    const pattern = [...keys].reverse().reduce<JsonObject>((inner, key) => ({[key]: inner}), leaf);
    const {skips, holds} = patternCode(pattern, 'object', path, this.#patterns());
    return all(not(skips), holds);
  }

  #patterns() {
    return {
      template: (text: string, at: string) => templateValue(text, at, this.#options.scope).text,
      name: (depth: number) => 'abcdefgh'[depth % 8]!,
    };
  }

  #value(item: Json, place: Place): {readonly text: string; readonly optional: boolean} | undefined {
    if (isObject(item)) {
      const text = this.map(item, place);
      // Nothing but anchors below.
      return /\{\}$/.test(text) && Object.keys(item).length > 0 && !/[^{]\{\}[^}]/.test(text) && isOnlyAnchors(item) ? undefined : {text, optional: false};
    }
    if (Array.isArray(item)) return this.#list(item, place);
    return {text: this.#literal(item, place), optional: false};
  }

  #literal(item: Json, {path, type}: Place): string {
    if (hasAnchorsBelow(item)) throw new Unconvertible(path, 'anchors below an anchor');
    if (Array.isArray(item)) this.atomic = true;
    return literalText(item, {path, scope: this.#options.scope, type});
  }

  #list(items: readonly Json[], place: Place): {readonly text: string; readonly optional: boolean} | undefined {
    const field = place.keys.at(-1) ?? '';
    const key = mergeKeys.get(field);
    const maps = items.filter(isObject);
    if (mergedOnly.has(field)) {
      throw new Unconvertible(place.path, `${field} is merged by patches and replaced by ApplyConfiguration; write a JSONPatch`);
    }
    if (maps.length < items.length || key === undefined) {
      if (hasAnchorsBelow([...items])) throw new Unconvertible(place.path, `anchors in ${field}, whose elements have no key that is known`);
      this.atomic = true;
      return {text: this.#literal([...items], place), optional: false};
    }
    const parts: string[] = [];
    let walked = false;
    for (const [index, entry] of maps.entries()) {
      const at = {...place, path: `${place.path}[${index}]`};
      if (this.#globals(entry, at)) continue;
      const made = this.#element(entry, key, at);
      walked ||= made.walked;
      parts.push(made.text);
    }
    if (parts.length === 0) return undefined;
    const text = parts.join(' + ');
    const {path} = place.value;
    if (!walked || field === 'containers' || path === undefined) return {text, optional: false};
    return {text: `${chainOf(place.value)}.hasValue() ? optional.of(${text}) : optional.none()`, optional: true};
  }

  /** An element of nothing but `<( )`: some element has to be like that for anything to change. */
  #globals(entry: JsonObject, place: Place): boolean {
    const anchors = Object.keys(entry).map(parseAnchor);
    if (!anchors.every(anchor => anchor?.kind === 'global') || anchors.length === 0) return false;
    const pattern = Object.fromEntries(Object.entries(entry).map(([key, item]) => [parseAnchor(key)!.key, item]));
    const {skips, holds} = patternCode(pattern, 'e', place.path, this.#patterns());
    this.conditions.push(one(`${listText(place.value)}.exists(e, ${all(not(skips), holds).text})`));
    return true;
  }

  #element(entry: JsonObject, key: string, place: Place): {readonly text: string; readonly walked: boolean} {
    const {loop, scope} = this.#options;
    const conditions: JsonObject = {};
    const changes: JsonObject = {};
    for (const [name, item] of Object.entries(entry)) {
      const anchor = parseAnchor(name);
      if (anchor?.kind === 'conditional') conditions[anchor.key] = item;
      else changes[name] = item;
    }
    const keyed = own(changes, key);
    const ofLoop = loop !== undefined && [keyed, own(conditions, key)].some(item => typeof item === 'string' && new RegExp(`^\\{\\{\\s*element\\.${key}\\s*\\}\\}$`).test(item));
    if (ofLoop) {
      delete changes[key];
      delete conditions[key];
      const filter = loop.applies === always ? '' : `.filter(${loop.name}, ${loop.applies.text})`;
      return this.#walk(changes, conditions, {list: `${loop.list}${filter}`, name: loop.name, key}, place);
    }
    if (keyed !== undefined) {
      if (Object.keys(conditions).length > 0) throw new Unconvertible(place.path, 'anchors beside the key of an element');
      return {text: `[${literalText(changes, {path: place.path, scope, type: place.type})}]`, walked: false};
    }
    const name = 'c';
    if (conditions[key] === '*' || conditions[key] === '?*') delete conditions[key];
    return this.#walk(changes, conditions, {list: listText(place.value), name, key}, place);
  }

  #walk(
    changes: JsonObject,
    conditions: JsonObject,
    loop: {readonly list: string; readonly name: string; readonly key: string},
    place: Place,
  ): {readonly text: string; readonly walked: boolean} {
    const {list, name, key} = loop;
    let range = list;
    if (Object.keys(conditions).length > 0) {
      const {skips, holds} = patternCode(conditions, name, place.path, this.#patterns());
      range = `${list}.filter(${name}, ${all(not(skips), holds).text})`;
    }
    const inner: Place = {...place, value: pathValue({holder: name, keys: []}), keys: [], inList: true};
    const made = this.map(changes, inner);
    const separator = made.endsWith('{}') && Object.keys(changes).length === 0 ? '' : ', ';
    return {text: `${range}.map(${name}, ${made.replace('{', `{${key}: ${name}.${key}${separator}`)})`, walked: true};
  }
}

function chainOf({text}: Value): string {
  return text.replace(/\.orValue\(null\)$/, '');
}

function isOnlyAnchors(item: JsonObject): boolean {
  return Object.entries(item).every(([key, inner]) => {
    const anchor = parseAnchor(key);
    return anchor?.kind === 'conditional' || anchor?.kind === 'global' || (anchor === undefined && isObject(inner) && isOnlyAnchors(inner));
  });
}

function hasAnchorsBelow(item: Json): boolean {
  if (Array.isArray(item)) return item.some(hasAnchorsBelow);
  return isObject(item) && Object.entries(item).some(([key, inner]) => parseAnchor(key) !== undefined || hasAnchorsBelow(inner));
}
