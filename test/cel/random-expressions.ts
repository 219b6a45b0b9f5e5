/** Expressions of the part of CEL that every evaluator has, made at random from a seed. */

export type Random = (below: number) => number;

type Kind = 'bool' | 'int' | 'string' | 'list';

/**
 * Without errors, divisions and doubles; lists are literals or `object.items`, for what `cel-js` makes of those differs from
 * CEL in ways that are known.
 */
export function randomExpression(random: Random, kind: Kind = 'bool', depth = 4): string {
  const pick = <T>(choices: readonly T[]): T => choices[random(choices.length)]!;
  const make = (of: Kind): string => randomExpression(random, of, depth - 1);
  if (depth <= 0) return pick(leaves[kind]);
  switch (kind) {
    case 'bool':
      return pick([
        () => pick(leaves.bool),
        () => `!(${make('bool')})`,
        () => `(${make('bool')} && ${make('bool')})`,
        () => `(${make('bool')} || ${make('bool')})`,
        () => `(${make('bool')} ? ${make('bool')} : ${make('bool')})`,
        () => `(${make('int')} ${pick(['<', '<=', '>', '>=', '==', '!='])} ${make('int')})`,
        () => `(${make('string')} ${pick(['==', '!='])} ${make('string')})`,
        () => `(${make('int')} in ${make('list')})`,
        () => `${pick(['has(object.name)', 'has(object.missing)', 'has(object.nested.flag)'])}`,
        () => `object.items.${pick(['all', 'exists'])}(i, i ${pick(['<', '>', '=='])} ${pick(leaves.int)})`,
      ])();
    case 'int':
      return pick([
        () => pick(leaves.int),
        () => `(${make('int')} ${pick(['+', '-', '*'])} ${make('int')})`,
        () => `(${make('bool')} ? ${make('int')} : ${make('int')})`,
        () => `size(${make('list')})`,
        () => `size(${make('string')})`,
      ])();
    case 'string':
      return pick([
        () => pick(leaves.string),
        () => `(${make('string')} + ${make('string')})`,
        () => `(${make('bool')} ? ${make('string')} : ${make('string')})`,
      ])();
    case 'list':
      return pick([
        () => pick(leaves.list),
        () => `[${make('int')}, ${make('int')}]`,
        () => `object.items.map(i, i ${pick(['+', '*'])} ${pick(leaves.int)})`,
        () => `object.items.filter(i, i ${pick(['<', '>'])} ${pick(leaves.int)})`,
      ])();
  }
}

const leaves: Readonly<Record<Kind, readonly string[]>> = {
  bool: ['true', 'false', 'object.nested.flag', "object['nested']['flag']"],
  int: ['0', '1', '2', '7', '42', 'object.count', 'object.items[1]', 'object.nested.depth'],
  string: ["''", "'a'", "'web'", 'object.name', "object.labels['app']"],
  list: ['[1, 2, 3]', '[7]', 'object.items'],
};

export const randomObject = {
  name: 'web',
  count: 3,
  items: [1, 2, 7, 42],
  labels: {app: 'web', tier: 'a'},
  nested: {flag: true, depth: 2},
};
