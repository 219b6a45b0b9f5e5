import type {JsonObject} from '../json/types.js';
import {compileGlob, hasWildcard} from '../values/glob.js';
import {child, strings, text} from './access.js';
import type {Scope} from './check-scope.js';
import {checkSelector} from './checks-selector.js';
import {at} from './faults.js';

/** Wildcard comparisons that one list may cost; more is refused rather than left unchecked. */
const mostComparisons = 1_000_000;

/** Failure action overrides of a policy or rule: known actions, and no namespace with two of them. */
export function checkOverrides(overrides: readonly JsonObject[], path: string, scope: Scope): void {
  const {faults} = scope;
  const byAction: Record<'Audit' | 'Enforce', Set<string>> = {Audit: new Set(), Enforce: new Set()};
  overrides.forEach((override, index) => {
    const action = text(override, 'action');
    if (action !== 'Audit' && action !== 'Enforce') {
      faults.error('override-action', at(at(path, index), 'action'), 'invalid action', {hint: 'Audit or Enforce'});
      return;
    }
    const selector = child(override, 'namespaceSelector');
    if (selector) checkSelector(selector, at(at(path, index), 'namespaceSelector'), faults);
    else for (const namespace of strings(override, 'namespaces')) byAction[action].add(namespace);
  });
  checkConflicts(byAction.Enforce, byAction.Audit, path, scope);
}

function checkConflicts(enforce: ReadonlySet<string>, audit: ReadonlySet<string>, path: string, {faults}: Scope): void {
  const patterns = (names: ReadonlySet<string>) => [...names].filter(hasWildcard);
  for (const name of enforce) {
    if (audit.has(name))
      faults.error('overrides-conflict', path, `conflicting namespaces found in path: ${path}: ${name}`);
  }
  const work = patterns(enforce).length * audit.size + patterns(audit).length * enforce.size;
  if (work > mostComparisons) {
    faults.error(
      'overrides-too-many',
      path,
      'too many namespace patterns to tell whether the overrides contradict each other',
    );
    return;
  }
  checkPatterns(patterns(enforce), audit, path, faults);
  checkPatterns(patterns(audit), enforce, path, faults);
}

function checkPatterns(
  patterns: readonly string[],
  others: ReadonlySet<string>,
  path: string,
  faults: Scope['faults'],
): void {
  for (const pattern of patterns) {
    const matches = compileGlob(pattern);
    for (const other of others) {
      if (other === pattern || !matches(other)) continue;
      const message = hasWildcard(other)
        ? `wildcard pattern '${pattern}' conflicts with the pattern '${other}'`
        : `wildcard pattern '${pattern}' matches with namespace '${other}'`;
      faults.error('overrides-conflict', path, `conflicting namespaces found in path: ${path}: ${message}`);
    }
  }
}
