import {
  asPrefix,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  type NameCheck,
  qualifiedName,
} from './name-checks.js';
import {urlFault} from './url.js';

export interface NamedFormat {
  /** As Kubernetes calls it. */
  readonly name: string;
  readonly check: NameCheck;
  /** Length of a pattern that takes as long, for the cost. */
  readonly patternLength: number;
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/u;
const dateTimeLength = 65;

/** The formats of `format.<name>()`. */
export const formats: ReadonlyMap<string, NamedFormat> = new Map([
  ['dns1123Label', {name: 'DNS1123Label', check: dns1123Label, patternLength: 30}],
  ['dns1123Subdomain', {name: 'DNS1123Subdomain', check: dns1123Subdomain, patternLength: 60}],
  ['dns1035Label', {name: 'DNS1035Label', check: dns1035Label, patternLength: 30}],
  ['qualifiedName', {name: 'QualifiedName', check: qualifiedName, patternLength: 60}],
  ['dns1123LabelPrefix', {name: 'DNS1123LabelPrefix', check: asPrefix(dns1123Label), patternLength: 30}],
  ['dns1123SubdomainPrefix', {name: 'DNS1123SubdomainPrefix', check: asPrefix(dns1123Subdomain), patternLength: 60}],
  ['dns1035LabelPrefix', {name: 'DNS1035LabelPrefix', check: asPrefix(dns1035Label), patternLength: 30}],
  ['labelValue', {name: 'LabelValue', check: labelValue, patternLength: 40}],
  ['uri', {name: 'URI', check: uri, patternLength: 1103}],
  [
    'uuid',
    {name: 'uuid', check: matching(text => uuid.test(text), 'does not match the UUID format'), patternLength: 87},
  ],
  ['byte', {name: 'byte', check: matching(text => base64.test(text), 'invalid base64'), patternLength: 84}],
  ['date', {name: 'date', check: matching(isDate, 'invalid date'), patternLength: dateTimeLength}],
  ['datetime', {name: 'datetime', check: matching(isDateTime, 'invalid datetime'), patternLength: dateTimeLength}],
]);

function matching(test: (text: string) => boolean, fault: string): NameCheck {
  return text => (test(text) ? [] : [fault]);
}

function uri(text: string): string[] {
  const fault = urlFault(text);
  return fault === undefined ? [] : [fault];
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
}

function isDateTime(text: string): boolean {
  const [day = '', clock] = text.toLowerCase().split('t');
  const match = clock === undefined || !isDate(day) ? null : time.exec(clock);
  return match !== null && match[1]! <= '23' && match[2]! <= '59' && match[3]! <= '59';
}
