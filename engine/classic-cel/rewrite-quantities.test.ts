import {describe, expect, it} from 'vitest';
import {isQuantityExpression, rewriteQuantities} from './rewrite-quantities.js';

const all = (body: string) => `object.spec.containers.all(c, ${body})`;

describe('orders and products of quantity fields go by amount', () => {
  it.each<[from: string, to: string]>([
    [all("c.resources.limits.cpu > '100m'"), all('amount_greater(c.resources.limits.cpu, "100m")')],
    [
      all("'1Gi' >= c.resources.requests['memory']"),
      all('amount_greater_equals("1Gi", c.resources.requests["memory"])'),
    ],
    [
      all('c.resources.limits.memory <= 2 * c.resources.requests.memory'),
      all('amount_less_equals(c.resources.limits.memory, amount_times(2, c.resources.requests.memory))'),
    ],
    [
      all('c.resources.?limits.?cpu.orValue("0") < "4"'),
      all('amount_less(c.resources.?limits.?cpu.orValue("0"), "4")'),
    ],
    [
      'object.spec.containers.map(c, c.resources.limits.cpu).all(l, l < "4")',
      'object.spec.containers.map(c, c.resources.limits.cpu).all(l, amount_less(l, "4"))',
    ],
    ['cel.bind(l, object.spec.hard.pods, l > 3)', 'cel.bind(l, object.spec.hard.pods, amount_greater(l, 3))'],
    [
      'c.resources.limits.all(k, c.resources.limits[k] < "4")',
      'c.resources.limits.all(k, amount_less(c.resources.limits[k], "4"))',
    ],
    ['variables.limit > "1" && variables.other > "1"', 'amount_greater(variables.limit, "1") && variables.other > "1"'],
    [
      'object.spec.volumes.all(v, v.emptyDir.sizeLimit <= "1Gi")',
      'object.spec.volumes.all(v, amount_less_equals(v.emptyDir.sizeLimit, "1Gi"))',
    ],
  ])('%s', (from, to) => {
    expect(rewriteQuantities(from, new Set(['limit']))).toBe(to);
  });

  it.each([
    all("c.resources.limits.cpu == '1'"),
    all("string(c.resources.limits.cpu) > '100m'"),
    all("c.resources.limits.cpu.matches('^[0-9]+m$')"),
    all('has(c.resources.limits.cpu)'),
    all('size(c.resources.limits) > 1'),
    "object.metadata.name > 'a'",
    'object.spec.replicas * 2 > 4',
    'cel.bind(limits, object.spec.x, limits > 3)',
    'c.resources.limits.cpu >',
  ])('%s stays as it is written', text => {
    expect(rewriteQuantities(text)).toBe(text);
  });

  it('a variable that is one makes others', () => {
    expect(isQuantityExpression('object.spec.containers[0].resources.limits.cpu', new Set())).toBe(true);
    expect(isQuantityExpression('variables.limit * 2', new Set(['limit']))).toBe(true);
    expect(isQuantityExpression('size(object.spec.containers)', new Set())).toBe(false);
  });
});
