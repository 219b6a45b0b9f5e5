import {expect, test} from 'vitest';
import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {literalChecks} from './literal-checks.js';

const regex = createRegexEngine();

test.each([
  ['matches', '^a+$', undefined],
  ['matches', '[', 'error parsing regexp: missing closing ]: `[`'],
  ['duration', '1h30m', undefined],
  ['duration', '1d', 'durations are numbers with h, m, s, ms, us or ns, as in "1h30m"; a day is "24h"'],
  ['timestamp', '2024-01-31T00:00:00Z', undefined],
  ['timestamp', '2024-01-31', 'timestamps are written as in RFC 3339: "2024-01-31T00:00:00Z"'],
])('%s("%s")', (name, literal, fault) => {
  expect(literalChecks[name]?.(literal, regex)).toBe(fault);
});
