import {isObject, isNumber, type Json, type JsonObject, own} from '../json/types.js';
import {numberText} from '../values/number-text.js';
import {parseAnchor} from '../pattern/index.js';
import {hasWildcard} from '../values/glob.js';
import {hasVariable} from '../variables/scan.js';
import {all, always, any, field, globTest, hasField, never, not, one, quoted, relation, type Test, Unconvertible} from './code.js';
import {type ScalarCode, stringPattern} from './scalar-test.js';

/** What a pattern comes to on one place: whether it does not apply there, and, where it does, whether it holds. */
export interface PatternCode {
  readonly skips: Test;
  readonly holds: Test;
}

export interface PatternOptions {
  /** Turns a text with variables into an expression. */
  readonly template: (text: string, path: string) => string;
  /** A name for the element of a list at a depth. */
  readonly name: (depth: number) => string;
}

const pass: PatternCode = {skips: never, holds: always};

/** A validate pattern on what `value` (an expression that has a value) is. Throws `Unconvertible`. */
export function patternCode(pattern: Json, value: string, path: string, options: PatternOptions): PatternCode {
  if (isObject(pattern) && Object.keys(pattern).length === 0) return pass;
  return new Walk(options).node(pattern, value, {path, depth: 0, tags: 'plain'});
}

interface Place {
  readonly path: string;
  readonly depth: number;
  readonly tags: 'plain' | 'metadata' | 'tags';
}

class Walk {
  readonly #options: PatternOptions;

  constructor(options: PatternOptions) {
    this.#options = options;
  }

  /** Of a value that is there. */
  node(pattern: Json, value: string, place: Place): PatternCode {
    if (isObject(pattern)) return this.#map(pattern, value, place);
    if (Array.isArray(pattern)) return this.#list(pattern, value, place);
    return {skips: never, holds: this.#scalarHolds(pattern, value, place)};
  }

  #scalarHolds(pattern: Json, value: string, place: Place): Test {
    const {present} = this.#scalar(pattern, place);
    // A list is judged element by element.
    if (!mayBeList(value)) return present(value);
    const name = this.#options.name(place.depth);
    return one(`[${value}].flatten().all(${name}, ${present(name).text})`);
  }

  #map(pattern: JsonObject, value: string, place: Place): PatternCode {
    const anchored: PatternCode[] = [];
    const conditions: Test[] = [];
    const first: PatternCode[] = [];
    const last: PatternCode[] = [];
    for (const key of Object.keys(pattern).sort()) {
      const sub = own(pattern, key) ?? null;
      if (place.tags === 'tags' && typeof sub !== 'string') continue;
      const anchor = parseAnchor(key);
      const name = anchor?.key ?? key;
      const inner: Place = {path: `${place.path}.${key}`, depth: place.depth + 1, tags: tagsOf(place.tags, name)};
      if (place.tags === 'tags' && hasWildcard(name)) {
        if (anchor?.kind === 'negation') {
          const tag = this.#options.name(place.depth);
          anchored.push({skips: never, holds: one(`!${value}.exists(${tag}, ${globTest(tag, name).text})`)});
          continue;
        }
        if (anchor !== undefined) throw new Unconvertible(inner.path, 'an anchor on a key with wildcards');
        last.push(this.#wildcardTag(name, sub as string, value, inner));
        continue;
      }
      const has = hasField(value, name);
      const at = field(value, name);
      switch (anchor?.kind) {
        case undefined: {
          const code = this.#plain(sub, {has, at}, inner);
          (code.skips === never ? last : first).push(code);
          break;
        }
        case 'conditional': {
          const {skips, holds} = this.node(sub, at, inner);
          conditions.push(all(has, not(skips), holds));
          break;
        }
        case 'global': {
          const {skips, holds} = this.node(sub, at, inner);
          first.push({skips: all(has, any(skips, not(holds))), holds: always});
          break;
        }
        case 'equality': {
          const {skips, holds} = this.node(sub, at, inner);
          anchored.push({skips: all(has, skips), holds: any(not(has), skips, holds)});
          break;
        }
        case 'negation':
          anchored.push({skips: never, holds: not(has)});
          break;
        case 'existence':
          anchored.push({skips: never, holds: this.#existence(sub, {has, at}, inner)});
          break;
        case 'addIfAbsent':
          throw new Unconvertible(inner.path, 'an add-if-absent anchor has no meaning in a pattern');
      }
    }
    first.reverse();
    return combined({conditions, anchored, plain: [...first, ...last]});
  }

  #plain(sub: Json, {has, at}: {readonly has: Test; readonly at: string}, place: Place): PatternCode {
    if (isObject(sub) || Array.isArray(sub)) {
      const {skips, holds} = this.node(sub, at, place);
      return {skips: all(has, skips), holds: all(has, holds)};
    }
    const {missing} = this.#scalar(sub, place);
    const holds = this.#scalarHolds(sub, at, place);
    return {skips: never, holds: missing ? any(not(has), holds) : all(has, holds)};
  }

  /** The first key that matches decides; with one value in mind, any. */
  #wildcardTag(name: string, sub: string, value: string, place: Place): PatternCode {
    const key = this.#options.name(place.depth);
    const {present} = this.#scalar(sub, place);
    return {
      skips: never,
      holds: one(`${value}.exists(${key}, ${all(globTest(key, name), present(`${value}[${key}]`)).text})`),
    };
  }

  #existence(sub: Json, {has, at}: {readonly has: Test; readonly at: string}, place: Place): Test {
    if (!Array.isArray(sub) || !sub.every(isObject))
      throw new Unconvertible(place.path, 'an existence anchor needs a list of maps');
    const name = this.#options.name(place.depth);
    const wanted = sub.map((entry, index) => {
      const {skips, holds} = this.node(entry, name, {
        path: `${place.path}[${index}]`,
        depth: place.depth + 1,
        tags: 'plain',
      });
      return one(`${at}.exists(${name}, ${all(not(skips), holds).text})`);
    });
    return any(not(has), all(...wanted));
  }

  #list(pattern: readonly Json[], value: string, place: Place): PatternCode {
    const [head] = pattern;
    if (head === undefined) return {skips: never, holds: never};
    const name = this.#options.name(place.depth);
    const at = (index: number): Place => ({path: `${place.path}[${index}]`, depth: place.depth + 1, tags: 'plain'});
    if (isObject(head)) {
      const maps = pattern.filter(isObject).map((entry, index) => this.node(entry, name, at(index)));
      const over = (test: Test) => (test === always || test === never ? test : one(`${value}.all(${name}, ${test.text})`));
      const holds = maps.map(({skips, holds}) => over(any(skips, holds)));
      const skips = maps.every(map => map.skips === never)
        ? never
        : all(relation(`size(${value}) > 0`), ...maps.map(map => over(map.skips)));
      return {skips, holds: all(...holds)};
    }
    if (Array.isArray(head)) throw new Unconvertible(place.path, 'lists of lists');
    const {present} = this.#scalar(head, place);
    return {skips: never, holds: one(`${value}.all(${name}, ${present(name).text})`)};
  }

  #scalar(pattern: Json, place: Place): ScalarCode {
    if (typeof pattern === 'string') {
      if (!hasVariable(pattern)) return stringPattern(pattern);
      const wanted = this.#options.template(pattern, place.path);
      return {present: value => sameText(value, wanted), missing: false};
    }
    if (typeof pattern === 'boolean') return {present: value => relation(`${value} == ${pattern}`), missing: false};
    if (pattern === null) {
      return {
        present: value => any(...['null', "''", 'false', '0'].map(empty => relation(`${value} == ${empty}`))),
        missing: true,
      };
    }
    if (isNumber(pattern)) {
      const text = numberText(pattern);
      const number = /^-?\d+$/.test(text) ? text : /[.eE]/.test(text) ? text : `${text}.0`;
      return {present: value => any(relation(`${value} == ${number}`), relation(`${value} == ${quoted(text)}`)), missing: false};
    }
    throw new Unconvertible(place.path, 'a map or list where a value is expected');
  }
}

/** Equal as texts or as amounts. */
function sameText(value: string, wanted: string): Test {
  const [left, right] = [`string(${value})`, `string(${wanted})`];
  return any(
    relation(`${left} == ${right}`),
    all(
      one(`isQuantity(${left})`),
      one(`isQuantity(${right})`),
      relation(`quantity(${left}).compareTo(quantity(${right})) == 0`),
    ),
  );
}

interface Entries {
  readonly conditions: readonly Test[];
  readonly anchored: readonly PatternCode[];
  readonly plain: readonly PatternCode[];
}

/** Anchors are judged before the other keys; one key after another, the first that does not hold or skips decides. */
function combined({conditions, anchored, plain}: Entries): PatternCode {
  const unmet = not(all(...conditions));
  // A skip from below an anchor counts when no anchor held.
  const below = conditions.length > 0 || anchored.length === 0 ? never : all(...anchored.map(({skips}) => skips));
  let skips = any(unmet, below);
  let before: Test = all(...anchored.map(({holds}) => holds));
  for (const {skips: skip, holds} of plain) {
    skips = any(skips, all(before, skip));
    before = all(before, holds);
  }
  return {skips, holds: before};
}

/** Fields that hold lists of texts are plural, but for these. */
const singularLists = new Set(['add', 'drop', 'command']);

function mayBeList(value: string): boolean {
  const name = /(?:\.|\[')([A-Za-z]+)(?:'\])?$/.exec(value)?.[1] ?? '';
  return singularLists.has(name) || /[a-rt-z]s$/i.test(name);
}

function tagsOf(tags: Place['tags'], name: string): Place['tags'] {
  if (tags === 'metadata' && (name === 'labels' || name === 'annotations')) return 'tags';
  return name === 'metadata' ? 'metadata' : 'plain';
}
