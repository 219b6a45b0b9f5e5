import {CelError} from '../errors.js';
import type {Library} from '../library/library.js';
import {patternFault} from '../library/regex-call.js';
import {conversions} from './conversions.js';

type Checks = NonNullable<Library['literalChecks']>;

/** What the conversion of a literal text would fail with. */
function failureOf(id: string): Checks[string] {
  const overload = conversions.flatMap(({overloads}) => overloads).find(one => one.id === id);
  if (overload === undefined) throw new Error(`${id} is no conversion`);
  return literal => {
    try {
      overload.call(literal);
      return undefined;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      return error.message;
    }
  };
}

const duration = failureOf('string_to_duration');
const timestamp = failureOf('string_to_timestamp');

/** The literals that Kubernetes looks at before an expression runs. */
export const literalChecks: Checks = {
  matches: patternFault,
  duration: (literal, regex) =>
    duration(literal, regex) && 'durations are numbers with h, m, s, ms, us or ns, as in "1h30m"; a day is "24h"',
  timestamp: (literal, regex) =>
    timestamp(literal, regex) && 'timestamps are written as in RFC 3339: "2024-01-31T00:00:00Z"',
};
