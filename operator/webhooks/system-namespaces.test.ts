import {describe, expect, it} from 'vitest';
import {guardSystemNamespaces, insideSystemCondition, outsideSystemCondition} from './system-namespaces.js';
import type {WebhookEntry} from './types.js';

const entry = (parts: Partial<WebhookEntry> = {}): WebhookEntry => ({
  name: 'validate.kyverno.io',
  path: '/validate/fail',
  failurePolicy: 'Fail',
  rules: [],
  timeoutSeconds: 10,
  sideEffects: 'NoneOnDryRun',
  matchConditions: [],
  ...parts,
});

const guard = (...entries: WebhookEntry[]) => guardSystemNamespaces({kind: 'ValidatingWebhookConfiguration', name: 'kyverno-resource-validating-webhook-cfg', entries});

describe('guardSystemNamespaces', () => {
  it('splits an entry that fails closed: what is in system namespaces is judged, and let through while nobody answers', () => {
    const [guarded, system] = guard(entry());
    expect(guarded.entries).toEqual([entry({matchConditions: [outsideSystemCondition]})]);
    expect(system.name).toBe('kyverno-resource-system-validating-webhook-cfg');
    expect(system.entries).toEqual([entry({path: '/validate/bootstrap', failurePolicy: 'Ignore', matchConditions: [insideSystemCondition]})]);
  });

  it('leaves entries alone that fail open', () => {
    const open = entry({failurePolicy: 'Ignore', path: '/validate/ignore'});
    expect(guard(open).map(({entries}) => entries)).toEqual([[open], []]);
  });

  it('leaves an entry alone that has conditions of its policy, and one that has no room for another', () => {
    const own = entry({systemNamespaces: 'included'});
    const full = entry({name: 'full', matchConditions: Array.from({length: 64}, (_, index) => ({name: `c${index}`, expression: 'true'}))});
    const {systemNamespaces: _dropped, ...plain} = own;
    expect(guard(own, full).map(({entries}) => entries)).toEqual([[plain, full], []]);
  });

  it('keeps an entry for system namespaces alone out of the main configuration, and lets it fail closed', () => {
    const [guarded, system] = guard(entry({name: 'risky', path: '/validate/fail/finegrained/p', systemNamespaces: 'only'}));
    expect(guarded.entries).toEqual([]);
    expect(system.entries).toEqual([entry({name: 'risky', path: '/validate/fail/finegrained/p', matchConditions: [insideSystemCondition]})]);
  });

  it('keeps the path of policies in CEL, which says nothing of failures', () => {
    const [, system] = guard(entry({name: 'vpol', path: '/vpol/fail'}));
    expect(system.entries.map(({path}) => path)).toEqual(['/vpol/fail']);
  });
});
