import {InvalidArgumentError} from 'commander';

/** Collects a flag that may be repeated and may hold a comma list, with double quotes around values with commas. */
export function slice(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), ...splitCsv(value)];
}

export function splitCsv(text: string): readonly string[] {
  if (text === '') return [];
  const values: string[] = [];
  let index = 0;
  for (;;) {
    let value = '';
    if (text[index] === '"') {
      let end = index + 1;
      for (; ; end++) {
        if (end >= text.length) throw new InvalidArgumentError('a double quote is not closed.');
        if (text[end] !== '"') value += text[end];
        else if (text[end + 1] === '"') value += text[end++];
        else break;
      }
      index = end + 1;
    } else {
      const comma = text.indexOf(',', index);
      const end = comma === -1 ? text.length : comma;
      value = text.slice(index, end);
      index = end;
    }
    values.push(value);
    if (text[index] !== ',') return values;
    index++;
  }
}

export function integerFlag(value: string): number {
  if (!/^-?\d+$/.test(value)) throw new InvalidArgumentError('an integer is wanted.');
  return Number(value);
}
