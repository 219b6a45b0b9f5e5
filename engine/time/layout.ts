/** RFC 3339 in Go's notation: the layout of every time that has none of its own. */
export const rfc3339 = '2006-01-02T15:04:05Z07:00';

/** An element of a layout by its own spelling; fractions of a second are `fraction`. */
export type LayoutElement =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'field'; readonly text: FieldName}
  /** `.000` takes exactly `digits`, `.999` (`trimmed`) up to nine; the separator is `.` or `,`. */
  | {readonly kind: 'fraction'; readonly text: string; readonly digits: number; readonly trimmed: boolean};

const fields = [
  'January',
  'Jan',
  'Monday',
  'Mon',
  'MST',
  '2006',
  '002',
  '__2',
  '_2',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '15',
  'PM',
  'pm',
  '-07:00:00',
  '-070000',
  '-07:00',
  '-0700',
  '-07',
  'Z07:00:00',
  'Z070000',
  'Z07:00',
  'Z0700',
  'Z07',
  '1',
  '2',
  '3',
  '4',
  '5',
] as const;
export type FieldName = (typeof fields)[number];

const fractionShape = /[.,](?:0+|9+)(?!\d)/y;

/** Splits a Go reference-time layout into the elements that stand for something and the text between them. */
export function splitLayout(layout: string): LayoutElement[] {
  const elements: LayoutElement[] = [];
  let text = '';
  let at = 0;
  const flush = () => {
    if (text !== '') elements.push({kind: 'text', text});
    text = '';
  };
  while (at < layout.length) {
    fractionShape.lastIndex = at;
    const fraction = fractionShape.exec(layout)?.[0];
    const name = fraction === undefined ? fieldAt(layout, at) : undefined;
    if (fraction !== undefined) {
      flush();
      elements.push({kind: 'fraction', text: fraction, digits: fraction.length - 1, trimmed: fraction[1] === '9'});
      at += fraction.length;
    } else if (name !== undefined) {
      flush();
      elements.push({kind: 'field', text: name});
      at += name.length;
    } else {
      text += layout[at];
      at++;
    }
  }
  flush();
  return elements;
}

/** Longest names stand first in the table, so the first hit is the element Go sees. */
function fieldAt(layout: string, at: number): FieldName | undefined {
  // `_2006` is an underscore before a year, not a padded day.
  if (layout.startsWith('_2006', at)) return undefined;
  for (const name of fields) {
    if (!layout.startsWith(name, at)) continue;
    // `Janet` and `Monster` are words.
    if ((name === 'Jan' || name === 'Mon') && /^[a-z]/.test(layout.slice(at + 3, at + 4))) continue;
    return name;
  }
  return undefined;
}
