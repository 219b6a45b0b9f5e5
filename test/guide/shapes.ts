/** What is wrong with a value: one line for each fault, with its path. */
export type Shape = (value: unknown, path: string) => readonly string[];

export const text: Shape = (value, path) => (typeof value === 'string' ? [] : [`${path}: not a text`]);

export function matching(pattern: RegExp): Shape {
  return (value, path) => (typeof value === 'string' && pattern.test(value) ? [] : [`${path}: ${String(value)}`]);
}

export function integer(least: number): Shape {
  return (value, path) =>
    Number.isInteger(value) && Number(value) >= least ? [] : [`${path}: no integer of at least ${least}`];
}

export function oneOf(...values: readonly string[]): Shape {
  return (value, path) => (values.some(wanted => wanted === value) ? [] : [`${path}: none of ${values.join(', ')}`]);
}

export function list(item: Shape, {unique = false} = {}): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return [`${path}: not a list`];
    const repeated = unique && new Set(value.map(entry => JSON.stringify(entry))).size < value.length;
    return [
      ...(repeated ? [`${path}: holds one item twice`] : []),
      ...value.flatMap((entry, index) => item(entry, `${path}[${index}]`)),
    ];
  };
}

/** An object with all of `required`, any of `optional` and nothing else. */
export function closed(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: not an object`];
    const fields = new Map(Object.entries({...required, ...optional}));
    const missing = Object.keys(required).filter(name => !Object.hasOwn(value, name));
    return [
      ...missing.map(name => `${path}.${name}: missing`),
      ...Object.entries(value).flatMap(
        ([name, entry]) => fields.get(name)?.(entry, `${path}.${name}`) ?? [`${path}.${name}: unknown`],
      ),
    ];
  };
}
