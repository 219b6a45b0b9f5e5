import {expect, test} from 'vitest';
import {CelError} from '../../../engine/cel/errors.js';
import {dynType} from '../../../engine/cel/types/type.js';
import {toJson, valueText} from '../../../engine/cel/values/index.js';
import type {Value} from '../../../engine/cel/values/value.js';
import {EvalError} from '../../../engine/diagnostic.js';
import {pick, randomJson, seededRandom} from '../../../engine/json/testing/random.js';
import {bindingsOf, celEnvironment, celHost} from '../../cel/environment.js';
import {readSpec} from '../../cel/spec.js';

const seed = Number(process.env['CEL_SEED'] ?? 20_261);
const count = 8_000;
const names = ['object', 'x', 'y', 'm', 'l', 'a'];
const token = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_][\w.]*\(?|\d+u?|\s+|[^\s]/g;
const part = /\b\w+\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}|"[^"]*"|\b\d+u?\b/g;

/** An expression of the conformance data with pieces of others in places of its own. */
function mutated(random: () => number, texts: readonly string[], parts: readonly string[]): string {
  let text = pick(random, texts);
  for (let changes = Math.floor(random() * 3); changes > 0; changes--) {
    const tokens = text.match(token) ?? [text];
    const at = Math.floor(random() * tokens.length);
    const replacement = pick(random, [parts, parts, names]);
    tokens[at] = random() < 0.3 ? `dyn(${pick(random, replacement)})` : pick(random, replacement);
    text = tokens.join('');
  }
  return text;
}

test('whatever the text and whatever is bound: a value, a fault with a place, or an error of the expression', () => {
  console.log(`seed ${seed}`);
  const random = seededRandom(seed);
  const texts = readSpec()
    .cases.map(({expr}) => expr)
    .filter(text => text.length < 300);
  const parts = texts.flatMap(text => text.match(part) ?? []);
  const variables = Object.fromEntries(names.map(name => [name, dynType]));
  const environment = celEnvironment({variables, homogeneousLiterals: false, costLimit: 100_000});
  let evaluated = 0;
  for (let index = 0; index < count; index++) {
    const text = mutated(random, texts, parts);
    const {program, issues} = environment.compile(text);
    if (program === undefined) {
      for (const issue of issues) expect(issue.at, text).toBeLessThanOrEqual(text.length);
      continue;
    }
    const bound = names.filter(() => random() < 0.9).map(name => [name, randomJson(random, 3) as Value] as const);
    try {
      const value = program.evaluate(bindingsOf(environment, Object.fromEntries(bound)), celHost());
      expect(value, text).not.toBeUndefined();
      evaluated++;
      valueText(value);
      toJson(value);
    } catch (error) {
      if (!(error instanceof EvalError || error instanceof CelError)) {
        throw new Error(`${text}: ${error}`, {cause: error});
      }
    }
  }
  expect(evaluated).toBeGreaterThan(count / 20);
});
