import {describe, expect, it} from 'vitest';
import {regex} from '../../testing/engines.js';
import {loadCelException} from '../load/load-cel-exception.js';
import {celException} from '../testing/cel-engines.js';
import {checkExceptionConditions} from './check-exception.js';

function faults(expression: string, refs = '[{name: p, kind: ValidatingPolicy}]'): string[] {
  const spec = `{policyRefs: ${refs}, matchConditions: [{name: c, expression: ${JSON.stringify(expression)}}]}`;
  const {policy} = loadCelException(celException(spec));
  return checkExceptionConditions(policy!, regex).map(({path, message}) => `${path} ${message.split('\n')[0]}`);
}

describe('conditions of an exception', () => {
  it.each<[what: string, expression: string, faults: readonly string[]]>([
    ['on the object', 'object.metadata.name == "a"', []],
    ['on variables, whichever the policy has', 'variables.anything == 1', []],
    [
      'no verdict',
      'object.metadata.name',
      [
        'spec.matchConditions[0].expression Invalid value: "object.metadata.name": output is expected to be of type bool',
      ],
    ],
    [
      'an unknown function',
      'foo(object)',
      [
        `spec.matchConditions[0].expression Invalid value: "foo(object)": ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')`,
      ],
    ],
  ])('%s', (_what, expression, wanted) => {
    expect(faults(expression)).toEqual(wanted);
  });

  it('are judged as each kind would that it names', () => {
    const refs = '[{name: a, kind: GeneratingPolicy}, {name: b, kind: ValidatingPolicy}]';
    expect(faults('[1, 2].all(i, v, v > 0)')).toEqual([]);
    expect(faults('[1, 2].all(i, v, v > 0)', refs)).toHaveLength(1);
    expect(faults('object != null', '[{name: a, kind: ValidatingAdmissionPolicy}]')).toEqual([]);
  });
});
