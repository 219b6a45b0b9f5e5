const minute = 60_000;

/** What a clock on the wall shows, as the milliseconds at which a clock in UTC shows the same. */
export interface Zone {
  /** Milliseconds to add to an instant. */
  offsetAt(instant: number): number;
}

export const utc: Zone = {offsetAt: () => 0};

/** A zone of the IANA list; `undefined` when there is none of that name. */
export function findZone(name: string): Zone | undefined {
  if (name === 'UTC') return utc;
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return {offsetAt: instant => wallClock(format, instant) - Math.floor(instant / minute) * minute};
}

function wallClock(format: Intl.DateTimeFormat, instant: number): number {
  const part: Record<string, number> = {};
  for (const {type, value} of format.formatToParts(instant)) part[type] = Number(value);
  return Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute']);
}
