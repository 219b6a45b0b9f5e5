import {dynType} from '../../../engine/cel/types/type.js';
import type {Value} from '../../../engine/cel/values/value.js';
import {bindingsOf, celEnvironment, celHost, programOf} from '../../cel/environment.js';

/** How long one evaluation may keep the event loop: expressions made to take long, until the budget ends each; as JSON. */
export interface Block {
  readonly name: string;
  /** CPU milliseconds within the limit of a program, and within that of a rule alone. */
  readonly limited: number;
  readonly unlimited: number;
}

const ten = '[1,2,3,4,5,6,7,8,9,10]';
const nested = (levels: number, body: string): string =>
  levels === 0 ? body : `${ten}.all(i${levels}, ${nested(levels - 1, body)})`;

const long = 'a'.repeat(50_000);
const needle = `${'a'.repeat(500)}b`;
const numbers = Array.from({length: 2000}, (_, index) => index);

const hostile: ReadonlyArray<readonly [name: string, text: string, x: Value]> = [
  ['loops in loops', nested(8, 'true'), null],
  ['errors in loops', nested(8, 'x.y == 1'), {}],
  ['lists of lists', 'x.map(a, x.map(b, a + b))', numbers],
  ['searches in lists', 'x.all(a, x.all(b, (-1 in x) || true))', numbers],
  ['sorting', nested(6, 'x.sortBy(a, -a).size() > 0'), numbers],
  ['searches in texts', nested(6, `x.lastIndexOf('${needle}') < 0`), long],
  ['patterns', nested(6, "x.matches('(a+)+(a+)+(a+)+(a+)+b') || true"), long],
  ['patterns made at run time', nested(8, "x.matches('a' + string(i1 + i2 * 10 + i3 * 100)) || true"), 'aaaa'],
  ['times', nested(8, 'timestamp(x).getHours() > 5 || true'), '2024-01-01T00:00:00Z'],
  ['time zones', nested(8, "timestamp('2024-01-01T00:00:00Z').getHours(x) > 5 || true"), 'America/New_York'],
  ['durations', nested(8, "duration(x) > duration('1s') || true"), '1h2m3s4ms'],
  ['quantities', nested(8, "quantity(x).isGreaterThan(quantity('5')) || true"), '123456789Mi'],
  ['versions', nested(8, "semver(x).isGreaterThan(semver('1.2.3')) || true"), '1.2.3-alpha.4'],
  ['addresses', nested(8, "cidr('10.0.0.0/8').containsIP(x) || true"), '10.1.2.3'],
  ['formats', nested(8, "'%s %d %f'.format([x, 1, 1.5]) == '' || true"), 'abc'],
  ['comparisons', nested(6, 'x == x.map(i, i)'), numbers],
];

function block(text: string, x: Value, costLimit: number | undefined): number {
  const environment = celEnvironment({variables: {x: dynType}, ...(costLimit !== undefined && {costLimit})});
  const program = programOf(environment, text);
  const bindings = bindingsOf(environment, {x});
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    try {
      program.evaluate(bindings, celHost());
    } catch {
      // Ended by the budget.
    }
    const {user, system} = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

const blocks = hostile.map(
  ([name, text, x]): Block => ({name, limited: block(text, x, 1_000_000), unlimited: block(text, x, undefined)}),
);
process.stdout.write(JSON.stringify(blocks));
