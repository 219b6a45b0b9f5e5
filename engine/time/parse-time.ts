import {daysFromCivil, daysIn, type Instant, second} from './instant.js';
import {type FieldName, type LayoutElement, rfc3339, splitLayout} from './layout.js';
import {dayNames, monthNames} from './names.js';

const rfc3339Elements = splitLayout(rfc3339);

/** What has been read so far; the calendar fields start where Go's do. */
interface Draft {
  year: number;
  month: number | undefined;
  day: number | undefined;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  half: 'am' | 'pm' | undefined;
  /** Seconds east of UTC. */
  offset: number | undefined;
  zone: string;
}

/** Why a text is no time: a fault of shape, or a number outside its range. */
interface Fault {
  readonly range?: string;
}

type Read = {readonly rest: string} | Fault;

const mismatch: Fault = {};

export type ParsedTime = {readonly instant: Instant} | {readonly error: string};

/** Reads `text` by a Go layout, with Go's leniencies (fraction after seconds) and Go's error texts. UTC without zone. */
export function parseTime(text: string, layout: string): ParsedTime {
  const elements = layout === rfc3339 ? rfc3339Elements : splitLayout(layout);
  const draft: Draft = {
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    half: undefined,
    offset: undefined,
    zone: '',
  };
  const where = `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}`;
  let rest = text;
  for (const [index, element] of elements.entries()) {
    const read = readElement(element, rest, draft, elements[index + 1]);
    if (!('rest' in read)) {
      if (read.range !== undefined) return {error: `parsing time ${JSON.stringify(text)}: ${read.range} out of range`};
      return {error: `${where}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(element.text)}`};
    }
    rest = read.rest;
  }
  if (rest !== '') return {error: `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`};
  const instant = complete(draft);
  return instant ? {instant} : {error: `parsing time ${JSON.stringify(text)}: day out of range`};
}

function readElement(element: LayoutElement, text: string, draft: Draft, next: LayoutElement | undefined): Read {
  if (element.kind === 'text') return readText(element.text, text);
  if (element.kind === 'field') {
    const read = readField(element.text, text, draft);
    if ('rest' in read && (element.text === '05' || element.text === '5') && next?.kind !== 'fraction') {
      return {rest: readFraction(read.rest, draft) ?? read.rest};
    }
    return read;
  }
  if (element.trimmed) return {rest: readFraction(text, draft) ?? text};
  const match = new RegExp(`^[.,]\\d{${element.digits}}`).exec(text)?.[0];
  if (match === undefined) return mismatch;
  readFraction(match, draft);
  return {rest: text.slice(match.length)};
}

/** A run of blanks in the layout takes any run of blanks in the text. */
function readText(prefix: string, text: string): Read {
  let rest = text;
  let at = 0;
  while (at < prefix.length) {
    if (prefix[at] === ' ') {
      if (rest !== '' && rest[0] !== ' ') return mismatch;
      while (prefix[at] === ' ') at++;
      rest = rest.replace(/^ +/, '');
      continue;
    }
    if (rest[0] !== prefix[at]) return mismatch;
    rest = rest.slice(1);
    at++;
  }
  return {rest};
}

/** `undefined` when the text does not go on with a fraction of a second. */
function readFraction(text: string, draft: Draft): string | undefined {
  const match = /^[.,](\d+)/.exec(text);
  if (!match) return undefined;
  draft.nanosecond = Number(match[1]!.slice(0, 9).padEnd(9, '0'));
  return text.slice(match[0].length);
}

function readNumber(text: string, shape: RegExp, store: (value: number) => Fault | undefined): Read {
  const match = shape.exec(text);
  if (!match) return mismatch;
  return store(Number(match[0])) ?? {rest: text.slice(match[0].length)};
}

const oneOrTwo = /^ ?\d\d?/;
const loose = /^\d\d?/;
const exactly2 = /^\d\d/;

function readName(
  names: readonly string[],
  length: number | undefined,
  text: string,
  store: (index: number) => void,
): Read {
  const lower = text.slice(0, 16).toLowerCase();
  for (const [index, name] of names.entries()) {
    const wanted = length === undefined ? name : name.slice(0, length);
    if (!lower.startsWith(wanted.toLowerCase())) continue;
    store(index);
    return {rest: text.slice(wanted.length)};
  }
  return mismatch;
}

function readField(name: FieldName, text: string, draft: Draft): Read {
  const month = (value: number): Fault | undefined => {
    draft.month = value;
    return value < 1 || value > 12 ? {range: 'month'} : undefined;
  };
  const day = (value: number): undefined => {
    draft.day = value;
  };
  const yearDay = (value: number): undefined => {
    draft.yearDay = value;
  };
  const hour =
    (limit: number) =>
    (value: number): Fault | undefined => {
      draft.hour = value;
      return value > limit ? {range: 'hour'} : undefined;
    };
  const minute = (value: number): Fault | undefined => {
    draft.minute = value;
    return value > 59 ? {range: 'minute'} : undefined;
  };
  const seconds = (value: number): Fault | undefined => {
    draft.second = value;
    return value > 59 ? {range: 'second'} : undefined;
  };
  switch (name) {
    case 'January':
      return readName(monthNames, undefined, text, index => month(index + 1));
    case 'Jan':
      return readName(monthNames, 3, text, index => month(index + 1));
    case 'Monday':
      return readName(dayNames, undefined, text, () => undefined);
    case 'Mon':
      return readName(dayNames, 3, text, () => undefined);
    case '2006':
      return readNumber(text, /^\d{4}/, value => {
        draft.year = value;
        return undefined;
      });
    case '06':
      return readNumber(text, exactly2, value => {
        draft.year = value >= 69 ? 1900 + value : 2000 + value;
        return undefined;
      });
    case '01':
      return readNumber(text, exactly2, month);
    case '1':
      return readNumber(text, loose, month);
    case '02':
      return readNumber(text, exactly2, day);
    case '_2':
      return readNumber(text, oneOrTwo, day);
    case '2':
      return readNumber(text, loose, day);
    case '002':
      return readNumber(text, /^\d{3}/, yearDay);
    case '__2':
      return readNumber(text, /^ {0,2}\d{1,3}/, yearDay);
    case '15':
      return readNumber(text, loose, hour(23));
    case '03':
      return readNumber(text, exactly2, hour(12));
    case '3':
      return readNumber(text, loose, hour(12));
    case '04':
      return readNumber(text, exactly2, minute);
    case '4':
      return readNumber(text, loose, minute);
    case '05':
      return readNumber(text, exactly2, seconds);
    case '5':
      return readNumber(text, loose, seconds);
    case 'PM':
      return readHalf(text, 'AM', 'PM', draft);
    case 'pm':
      return readHalf(text, 'am', 'pm', draft);
    case 'MST':
      return readZone(text, draft);
    default:
      return readOffset(name, text, draft);
  }
}

function readHalf(text: string, am: string, pm: string, draft: Draft): Read {
  const word = text.slice(0, 2);
  if (word !== am && word !== pm) return mismatch;
  draft.half = word === pm ? 'pm' : 'am';
  return {rest: text.slice(2)};
}

function readOffset(name: string, text: string, draft: Draft): Read {
  if (name.startsWith('Z') && text.startsWith('Z')) {
    draft.offset = 0;
    draft.zone = 'UTC';
    return {rest: text.slice(1)};
  }
  const colon = name.includes(':') ? ':' : '';
  const groups = name.slice(1).replaceAll(':', '').length / 2;
  const shape = new RegExp(`^([+-])(\\d\\d)${`${colon}(\\d\\d)`.repeat(groups - 1)}`);
  const match = shape.exec(text);
  if (!match) return mismatch;
  const [whole, sign, hours = '0', minutes = '0', secondsText = '0'] = match;
  if (Number(hours) > 24) return {range: 'time zone offset hour'};
  if (Number(minutes) > 60) return {range: 'time zone offset minute'};
  if (Number(secondsText) > 60) return {range: 'time zone offset second'};
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(secondsText);
  draft.offset = sign === '-' ? 0 - size : size;
  return {rest: text.slice(whole.length)};
}

const abbreviation = /^(?:ChST|MeST|GMT[+-]\d{1,2}|WITA|[A-Z]{3}ST|[A-Z]{3}T|[A-Z]{3}|[+-]\d\d)(?![A-Z])/;

/** Abbreviations other than UTC and `GMT±h` have no known offset and count as UTC under their name. */
function readZone(text: string, draft: Draft): Read {
  const zone = text.startsWith('UTC') ? 'UTC' : abbreviation.exec(text)?.[0];
  if (zone === undefined) return mismatch;
  draft.zone = zone;
  if (draft.offset === undefined && /^GMT[+-]/.test(zone)) {
    const hours = Number(zone.slice(3));
    if (Math.abs(hours) > 23) return mismatch;
    draft.offset = hours * 3600;
  }
  return {rest: text.slice(zone.length)};
}

/** `undefined` when the day does not exist. */
function complete(draft: Draft): Instant | undefined {
  const {year} = draft;
  let {month = 1, day = 1} = draft;
  if (draft.yearDay !== undefined) {
    const ofYear = dateOfYearDay(year, draft.yearDay);
    if (!ofYear) return undefined;
    if (draft.month !== undefined && draft.month !== ofYear.month) return undefined;
    if (draft.day !== undefined && draft.day !== ofYear.day) return undefined;
    ({month, day} = ofYear);
  }
  if (day < 1 || day > daysIn(year, month)) return undefined;
  let {hour} = draft;
  if (draft.half === 'pm' && hour < 12) hour += 12;
  else if (draft.half === 'am' && hour === 12) hour = 0;
  const offset = draft.offset ?? 0;
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + draft.minute * 60 + draft.second - offset;
  const zone = draft.zone === '' && draft.offset === undefined ? 'UTC' : draft.zone;
  return {nanoseconds: BigInt(seconds) * second + BigInt(draft.nanosecond), offset, zone};
}

function dateOfYearDay(year: number, yearDay: number): {month: number; day: number} | undefined {
  let day = yearDay;
  if (day < 1) return undefined;
  for (let month = 1; month <= 12; month++) {
    const length = daysIn(year, month);
    if (day <= length) return {month, day};
    day -= length;
  }
  return undefined;
}
