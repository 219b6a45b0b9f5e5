import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../../budget.js';
import type {JsonObject} from '../../json/types.js';
import {builtInType} from '../schema/built-in.js';
import recorded from '../testdata/kubernetes-merges.json' with {type: 'json'};
import {applyConfiguration} from './apply-configuration.js';

interface Recorded {
  readonly object: JsonObject;
  readonly patch: JsonObject;
  readonly result?: JsonObject;
  readonly error?: string;
}

function ours({object, patch}: Recorded): JsonObject {
  return applyConfiguration(object, patch, {
    type: builtInType(String(object['apiVersion']), String(object['kind'])),
    replaceAtomics: false,
    budget: new Budget(defaultLimits, () => 0),
  });
}

/** What is refused, without the place: with several faults Kubernetes tells them in random order. */
const refusal = (text: string) => /^.*?(?:atomic arrays|typed object)/.exec(text)?.[0] ?? text;

describe('as Kubernetes itself merges', () => {
  const cases = recorded.cases as unknown as readonly Recorded[];

  it.each(cases.map((entry, index) => [index, entry] as const))('case %i', (_, entry) => {
    if (entry.error === undefined) expect(ours(entry)).toEqual(entry.result);
    else expect(() => ours(entry)).toThrow(refusal(entry.error));
  });
});
