import type {Expectation} from '../files/test-file.js';
import {compileGlob} from '../../engine/values/glob.js';

/** Which entries of `results` take part. */
export interface Selector {
  readonly policy: string;
  readonly rule: string;
  readonly resource: string;
  /** Parts that are no `key=wildcard`; they are ignored. */
  readonly malformed: readonly string[];
}

const keys = ['policy', 'rule', 'resource'] as const;

export function parseSelector(text: string): Selector {
  const found = {policy: '*', rule: '*', resource: '*'};
  const malformed: string[] = [];
  for (const part of text.split(',')) {
    const trimmed = part.trim();
    if (trimmed === '') continue;
    const [key = '', value, ...more] = trimmed.split('=').map(side => side.trim());
    const known = keys.find(name => name === key);
    if (known === undefined) malformed.push(`${trimmed}: the key must be one of ${keys.join(', ')}`);
    else if (value === undefined || value === '' || more.length > 0)
      malformed.push(`${trimmed}: expected ${known}=wildcard`);
    else found[known] = value;
  }
  return {...found, malformed};
}

/**
 * Entries that pass; one that lacks an attribute passes its filter. A resource filter takes the place of the entry's
 * resources, or with `intersect` leaves those of them that it matches.
 */
export function selectExpectations(
  expectations: readonly Expectation[],
  selector: Selector,
  options: {readonly intersect: boolean},
): readonly Expectation[] {
  const passes = (pattern: string, value: string | undefined) => !value || compileGlob(pattern)(value);
  const resource = compileGlob(selector.resource);
  return expectations.flatMap(expectation => {
    const {resources = []} = expectation;
    if (!passes(selector.policy, expectation.policy) || !passes(selector.rule, expectation.rule)) return [];
    if (selector.resource === '*') return [expectation];
    const matching = resources.filter(resource);
    if (resources.length > 0 && matching.length === 0) return [];
    return [{...expectation, resources: options.intersect ? matching : [selector.resource]}];
  });
}
