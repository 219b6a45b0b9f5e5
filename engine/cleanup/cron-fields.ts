/** Which values of each field a cron expression selects. */
export interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 = Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Neither day field says "any": one of them is enough. */
  readonly eitherDay: boolean;
}

export type ParsedFields = {readonly fields: CronFields} | {readonly error: string};

interface FieldRule {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const rules: readonly FieldRule[] = [
  {name: 'minute', least: 0, most: 59},
  {name: 'hour', least: 0, most: 23},
  {name: 'day of month', least: 1, most: 31},
  {name: 'month', least: 1, most: 12, names: months},
  // 7 is Sunday, too.
  {name: 'day of week', least: 0, most: 7, names: weekdays},
];

/** The five fields of a cron expression: lists, ranges, steps, `*`, `?` and English names. No `L`, `W` or `#`. */
export function parseCronFields(text: string): ParsedFields {
  const written = text.trim().split(/\s+/);
  if (written.length !== rules.length)
    return {error: `expected exactly 5 fields, found ${text.trim() === '' ? 0 : written.length}`};
  const sets: Set<number>[] = [];
  for (const [index, rule] of rules.entries()) {
    const set = parseField(written[index]!, rule);
    if (typeof set === 'string') return {error: set};
    sets.push(set);
  }
  const [minutes, hours, days, monthSet, week] = sets as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  if (week.delete(7)) week.add(0);
  const eitherDay = !isAny(written[2]!) && !isAny(written[4]!);
  return {fields: {minutes, hours, days, months: monthSet, weekdays: week, eitherDay}};
}

function isAny(text: string): boolean {
  return text.split(',').some(part => /^[*?](\/1)?$/.test(part));
}

/** The values of a field, or what is wrong with it. */
function parseField(text: string, rule: FieldRule): Set<number> | string {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step, ...more] = part.split('/');
    const bounds = parseRange(range, rule, step !== undefined);
    const width = step === undefined ? 1 : positive(step);
    if (bounds === undefined || width === undefined || more.length > 0) {
      return `${rule.name}: ${JSON.stringify(part.slice(0, 80))} is no value, range or step of ${rule.least} to ${rule.most}`;
    }
    for (let value = bounds.from; value <= bounds.to; value += width) values.add(value);
  }
  return values;
}

function parseRange(
  text: string,
  rule: FieldRule,
  stepped: boolean,
): {readonly from: number; readonly to: number} | undefined {
  // "Any" ends before the second name of Sunday.
  const most = rule.names === weekdays ? 6 : rule.most;
  if (text === '*' || text === '?') return {from: rule.least, to: most};
  const [first = '', last, ...more] = text.split('-');
  const from = valueOf(first, rule);
  const to = last === undefined ? (stepped ? most : from) : valueOf(last, rule);
  return from === undefined || to === undefined || more.length > 0 || from > to ? undefined : {from, to};
}

function valueOf(text: string, rule: FieldRule): number | undefined {
  const named = rule.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + rule.least;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= rule.least && value <= rule.most ? value : undefined;
}

function positive(text: string): number | undefined {
  return /^\d{1,4}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}
