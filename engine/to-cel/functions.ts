import {one, relation} from './code.js';
import {asListText, atom, listText, orElse, testValue, textOf, type Value, value} from './value.js';

/** `undefined`: not on these arguments. `name` is free for an element. */
type Translate = (args: readonly Value[], name: string) => Value | undefined;

function onText(make: (text: string, ...others: string[]) => Value): Translate {
  return args => (args.some(({kind}) => kind === 'list' || kind === 'map') ? undefined : make(...(args.map(textOf) as [string, ...string[]])));
}

const contains: Translate = ([where, what], name) => {
  if (where === undefined || what === undefined) return undefined;
  if (where.kind === 'list') return testValue(relation(`${what.text} in ${atom(listText(where))}`));
  if (where.kind === 'text') return testValue(one(`${atom(textOf(where))}.contains(${textOf(what)})`));
  // A list or a text, which only the object tells.
  const list = asListText(where);
  const text = `(type(${name}) == string && string(${name}).contains(${textOf(what)}))`;
  return testValue(one(`[${orElse(where, '[]')}].exists(${name}, ${text} || (type(${name}) == list && ${what.text} in ${list}))`));
};

const length: Translate = ([of]) => {
  if (of === undefined) return undefined;
  if (of.kind === 'map') return value(`size(${orElse(of, '{}')})`, 'int');
  return value(`size(${orElse(of, '[]')})`, 'int');
};

/** Functions of queries that have a counterpart. */
export const functions: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ['length', length],
  ['contains', contains],
  [
    'keys',
    ([map], name) => map && value(`${atom(orElse(map, '{}'))}.map(${name}, ${name})`, 'list', {elements: 'text'}),
  ],
  [
    'values',
    ([map], name) => {
      if (map === undefined) return undefined;
      const text = atom(orElse(map, '{}'));
      return value(`${text}.map(${name}, ${text}[${name}])`, 'list');
    },
  ],
  ['to_array', ([from]) => from && value(asListText(from), 'list', from.elements === undefined ? {} : {elements: from.elements})],
  ['to_string', onText(text => value(text, 'text'))],
  ['to_upper', onText(text => value(`${atom(text)}.upperAscii()`, 'text'))],
  ['to_lower', onText(text => value(`${atom(text)}.lowerAscii()`, 'text'))],
  ['trim_prefix', onText((text, prefix) => value(`(${text}.startsWith(${prefix}) ? ${text}.substring(size(${prefix})) : ${text})`, 'text'))],
  ['split', onText((text, by) => value(`${atom(text)}.split(${by})`, 'list', {elements: 'text'}))],
  ['join', ([by, list]) => by && list && value(`${atom(listText(list))}.join(${textOf(by)})`, 'text')],
  ['starts_with', onText((text, part) => testValue(one(`${atom(text)}.startsWith(${part})`)))],
  ['ends_with', onText((text, part) => testValue(one(`${atom(text)}.endsWith(${part})`)))],
  ['replace_all', onText((text, from, to) => value(`${atom(text)}.replace(${from}, ${to})`, 'text'))],
  ['regex_match', onText((pattern, text) => testValue(one(`${atom(text!)}.matches(${pattern})`)))],
  // The order matters to nobody who asks what is in a list.
  ['sort', ([list]) => list && value(`${atom(listText(list))}.sort()`, 'list', list.elements === undefined ? {} : {elements: list.elements})],
  ['not_null', ([first, second]) => (first && second && second.literal !== undefined ? value(orElse(first, second.text), 'any') : undefined)],
  ['to_boolean', onText(text => testValue(relation(`${atom(text)}.lowerAscii() == 'true'`)))],
  ['is_empty', ([of]) => of && testValue(relation(`size(${orElse(of, '[]')}) == 0`))],
]);

