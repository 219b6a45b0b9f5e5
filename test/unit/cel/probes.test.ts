import {describe, expect, test} from 'vitest';
import type {Environment} from '../../../engine/cel/environment.js';
import {dynType, mapOf, stringType} from '../../../engine/cel/types/type.js';
import type {Value} from '../../../engine/cel/values/value.js';
import {EvalError} from '../../../engine/diagnostic.js';
import {bindingsOf, celEnvironment, celHost} from '../../cel/environment.js';
import {type Probe, readProbes, tagged, typeTag} from '../../cel/probes.js';

const probes = readProbes();
const untyped = ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'x', 'y', 'm', 'l'];
const variables = {...Object.fromEntries(untyped.map(name => [name, dynType])), variables: mapOf(stringType, dynType)};
const environments = {
  one: celEnvironment({variables, twoVariableMacros: false}),
  two: celEnvironment({variables, twoVariableMacros: true}),
};

/** What the expression comes to, in the probes' notation. */
function outcomeOf(probe: Probe, environment: Environment): unknown {
  const outcome = environment.compile(probe.expr);
  if (outcome.program === undefined) return {error: 'compile', message: outcome.text};
  const bindings = bindingsOf(environment, probe.vars as Readonly<Record<string, Value>>);
  try {
    const value = outcome.program.evaluate(bindings, celHost());
    return {expected: tagged(value), type: typeTag(outcome.program.type)};
  } catch (error) {
    if (error instanceof EvalError) return {error: 'eval', message: error.message};
    throw error;
  }
}

function wanted({error, message, expected, type}: Probe): unknown {
  if (error === undefined) return {expected, type};
  return error === 'eval' ? {error, message} : {error, message: expect.stringContaining(`ERROR: <input>:${message}`)};
}

describe('expressions whose values, types and errors cel-go told', () => {
  test.skipIf(probes === undefined)('all of them', () => {
    const differing = (probes ?? []).flatMap(probe => {
      const environment = probe.source.includes('TwoVarComprehensions') ? environments.two : environments.one;
      try {
        expect(outcomeOf(probe, environment)).toEqual(wanted(probe));
        return [];
      } catch (error) {
        return [`${probe.expr}: ${error instanceof Error ? error.message : error}`];
      }
    });
    expect(differing).toEqual([]);
    console.log(`${probes!.length} probes`);
  });
});
