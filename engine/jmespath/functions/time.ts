import {EvalError} from '../../diagnostic.js';
import {formatTime} from '../../time/format-time.js';
import {
  addDuration,
  civilOf,
  durationBetween,
  type Instant,
  instantFromMillis,
  instantFromSeconds,
  inUtc,
  truncateTo,
} from '../../time/instant.js';
import {rfc3339} from '../../time/layout.js';
import {parseTime} from '../../time/parse-time.js';
import {formatDuration, parseDuration} from '../../values/duration.js';
import type {FunctionEnv} from '../types.js';
import {shown} from '../values.js';
import {chargeScan} from './charge.js';
import {define, defineOpen, type FunctionDefinition} from './define.js';

const maxLength = 1024;

function timeOf(text: string, layout = rfc3339): Instant {
  if (text.length > maxLength || layout.length > maxLength) throw new EvalError('time or layout is too long');
  const parsed = parseTime(text, layout);
  if ('error' in parsed) throw new EvalError(parsed.error);
  return parsed.instant;
}

function durationOf(text: string): bigint {
  const duration = parseDuration(text);
  if (duration === undefined) throw new EvalError(`time: invalid duration ${JSON.stringify(shown(text))}`);
  return duration;
}

const show = (instant: Instant): string => formatTime(instant, rfc3339);
const now = (env: FunctionEnv): Instant => instantFromMillis(env.loader.now());
const nowText = (env: FunctionEnv): string => show(now(env));

const integer = /^[+-]?\d{1,18}$/;

/** An integer for a layout says that the value counts seconds since the epoch. */
function parseWith(layout: string, text: string): Instant {
  if (!integer.test(layout)) return timeOf(text, layout);
  if (!integer.test(text)) throw new EvalError(`parsing ${JSON.stringify(shown(text))}: invalid epoch seconds`);
  const seconds = Number(text);
  if (Math.abs(seconds) > 1e14) throw new EvalError(`epoch seconds out of range: ${text}`);
  return instantFromSeconds(BigInt(seconds));
}

function cron(instant: Instant): string {
  const {minute, hour, day, month, weekday} = civilOf(instant);
  return `${minute} ${hour} ${day} ${month} ${weekday}`;
}

const compare = (name: string, holds: (a: bigint, b: bigint) => boolean): FunctionDefinition =>
  define(name, ['string', 'string'], ([a, b]) => holds(timeOf(a).nanoseconds, timeOf(b).nanoseconds));

export const timeFunctions: readonly FunctionDefinition[] = [
  define('time_since', ['string', 'string', 'string'], ([layout, from, to], env) => {
    chargeScan(env, layout.length);
    const used = layout === '' ? rfc3339 : layout;
    const later = to === '' ? now(env) : timeOf(to, used);
    return formatDuration(durationBetween(timeOf(from, used), later));
  }),
  defineOpen('time_now', nowText),
  defineOpen('time_now_utc', nowText),
  define('time_add', ['string', 'string'], ([time, duration]) => show(addDuration(timeOf(time), durationOf(duration)))),
  define('time_parse', ['string', 'string'], ([layout, text], env) => {
    chargeScan(env, layout.length + text.length);
    return show(parseWith(layout, text));
  }),
  define('time_to_cron', ['string'], ([time]) => cron(timeOf(time))),
  define('time_utc', ['string'], ([time]) => show(inUtc(timeOf(time)))),
  define('time_diff', ['string', 'string'], ([from, to]) => formatDuration(durationBetween(timeOf(from), timeOf(to)))),
  compare('time_before', (a, b) => a < b),
  compare('time_after', (a, b) => a > b),
  define('time_between', ['string', 'string', 'string'], ([time, start, end]) => {
    const at = timeOf(time).nanoseconds;
    return at > timeOf(start).nanoseconds && at < timeOf(end).nanoseconds;
  }),
  define('time_truncate', ['string', 'string'], ([time, duration]) =>
    show(truncateTo(timeOf(time), durationOf(duration))),
  ),
];
