import type {LabelSelector} from '../policy/model.js';
import {compileGlob, hasWildcard} from '../values/glob.js';

export type Labels = Readonly<Record<string, string>>;
export type LabelTest = (labels: Labels) => boolean;

type Requirement = NonNullable<LabelSelector['matchExpressions']>[number];

const nothing: LabelTest = () => false;
const namePart = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const prefixPart = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const maxPrefix = 253;

/**
 * A label selector with wildcards in the keys and values of `matchLabels`: such a pair asks for some label whose key and
 * value both match. `matchExpressions` is standard. An empty selector selects everything, an invalid one nothing.
 */
export function compileLabelSelector(selector: LabelSelector): LabelTest {
  const tests: LabelTest[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const test = compilePair(key, value);
    if (!test) return nothing;
    tests.push(test);
  }
  for (const requirement of selector.matchExpressions ?? []) {
    const test = compileRequirement(requirement);
    if (!test) return nothing;
    tests.push(test);
  }
  const [only] = tests;
  if (tests.length === 1 && only) return only;
  return labels => {
    for (const test of tests) if (!test(labels)) return false;
    return true;
  };
}

function compilePair(key: string, value: string): LabelTest | undefined {
  if (!hasWildcard(key) && !hasWildcard(value)) {
    if (!isLabelKey(key) || !isLabelValue(value)) return undefined;
    return labels => Object.hasOwn(labels, key) && labels[key] === value;
  }
  const valueMatches = compileGlob(value);
  if (!hasWildcard(key)) return labels => Object.hasOwn(labels, key) && valueMatches(labels[key] ?? '');
  const keyMatches = compileGlob(key);
  return labels => {
    for (const label in labels) {
      if (Object.hasOwn(labels, label) && keyMatches(label) && valueMatches(labels[label] ?? '')) return true;
    }
    return false;
  };
}

function compileRequirement({key, operator, values = []}: Requirement): LabelTest | undefined {
  if (!isLabelKey(key) || !values.every(isLabelValue)) return undefined;
  const wanted = new Set(values);
  switch (operator) {
    case 'In':
      return values.length === 0 ? undefined : labels => Object.hasOwn(labels, key) && wanted.has(labels[key] ?? '');
    case 'NotIn':
      return values.length === 0 ? undefined : labels => !Object.hasOwn(labels, key) || !wanted.has(labels[key] ?? '');
    case 'Exists':
      return values.length > 0 ? undefined : labels => Object.hasOwn(labels, key);
    case 'DoesNotExist':
      return values.length > 0 ? undefined : labels => !Object.hasOwn(labels, key);
    default:
      // What users write is not what the type says.
      return undefined;
  }
}

function isLabelKey(key: string): boolean {
  if (typeof key !== 'string') return false;
  const slash = key.indexOf('/');
  if (slash < 0) return namePart.test(key);
  const prefix = key.slice(0, slash);
  return prefix.length <= maxPrefix && prefixPart.test(prefix) && namePart.test(key.slice(slash + 1));
}

function isLabelValue(value: string): boolean {
  return value === '' || (typeof value === 'string' && namePart.test(value));
}
