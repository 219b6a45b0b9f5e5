/** Offsets of time zones, from the tables that the JavaScript engine carries. */

const formats = new Map<string, Intl.DateTimeFormat | undefined>();
const maxCached = 64;
const fixed = /^([+-]?)(\d\d):(\d\d)$/;
const second = 1_000_000_000n;

/** Seconds east of UTC of a zone (`America/New_York`, `+02:00`, `02:00`, `UTC`, empty) at a time; `undefined`: no such zone. */
export function zoneOffset(zone: string, nanos: bigint): number | undefined {
  if (zone === '' || zone === 'UTC') return 0;
  const match = fixed.exec(zone);
  if (match) {
    const hours = Number(match[2]);
    const minutes = Number(match[3]);
    if (hours > 23 || minutes > 59) return undefined;
    return (match[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  }
  const format = formatOf(zone);
  return format && offsetOf(format, nanos);
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  if (formats.size >= maxCached) formats.clear();
  const format = makeFormat(zone);
  formats.set(zone, format);
  return format;
}

function makeFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (zone.length > 64 || !/^[A-Za-z]/.test(zone)) return undefined;
  const numeric = 'numeric';
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function offsetOf(format: Intl.DateTimeFormat, nanos: bigint): number {
  const fraction = ((nanos % second) + second) % second;
  const seconds = Number((nanos - fraction) / second);
  const parts = new Map(format.formatToParts(new Date(seconds * 1000)).map(part => [part.type, part.value]));
  const read = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const year = parts.get('era') === 'BC' ? 1 - read('year') : read('year');
  const local = new Date(0);
  local.setUTCFullYear(year, read('month') - 1, read('day'));
  local.setUTCHours(read('hour'), read('minute'), read('second'));
  return Math.round(local.getTime() / 1000) - seconds;
}
