import {describe, expect, it} from 'vitest';
import type {PolicyResult, RuleResult} from '../../engine/types.js';
import {type PolicyEventsInput, policyEvents} from './policy-events.js';

function rule(more: Partial<RuleResult> = {}): RuleResult {
  return {
    rule: 'need-app',
    type: 'Validation',
    status: 'fail',
    message: 'label app is required',
    action: 'Enforce',
    ...more,
  };
}

function result(...rules: RuleResult[]): PolicyResult {
  return {
    policy: {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', namespace: '', name: 'labels', key: 'labels'},
    failurePolicy: 'Fail',
    emitWarning: false,
    annotations: {},
    background: true,
    rules,
  };
}

function eventsOf(more: Partial<PolicyEventsInput>) {
  return policyEvents({
    request: {
      kind: {group: '', version: 'v1', kind: 'Pod'},
      namespace: 'shop',
      name: 'web',
      object: {metadata: {uid: 'u1'}},
      oldObject: undefined,
    },
    results: [],
    blocked: false,
    source: 'kyverno-admission',
    ...more,
  });
}

describe('events of a judged request', () => {
  it('a refusal is one event on the policy that names webhook denied, resource, policy and rule', () => {
    const [event, ...more] = eventsOf({blocked: true, results: [result(rule())], uidOf: () => 'p1'});
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      regarding: {kind: 'ClusterPolicy', name: 'labels', uid: 'p1'},
      related: {kind: 'Pod', namespace: 'shop', name: 'web'},
      reason: 'PolicyViolation',
      action: 'Resource Blocked',
    });
    expect(event?.note).toBe(
      'Pod shop/web: [need-app] fail (blocked); admission webhook denied the request by policy labels, rule need-app: label app is required',
    );
  });

  it('a violation that is let through is an event on the policy and one on the resource, for failing rules only', () => {
    const notes = eventsOf({results: [result(rule({action: 'Audit'}), rule({rule: 'fine', status: 'pass'}))]}).map(
      event => [event.regarding.kind, event.action, event.note],
    );
    expect(notes).toEqual([
      ['ClusterPolicy', 'Resource Passed', 'Pod shop/web: [need-app] fail; label app is required'],
      ['Pod', 'Resource Passed', 'policy labels/need-app fail: label app is required'],
    ]);
  });

  it('an audit rule beside a refusal does not claim to have blocked', () => {
    const events = eventsOf({blocked: true, results: [result(rule({action: 'Audit'})), result(rule({rule: 'hard'}))]});
    expect(events.map(event => event.note.includes('webhook denied'))).toEqual([false, true]);
  });

  it('an exception is told on itself and on the policy', () => {
    const events = eventsOf({results: [result(rule({status: 'skip', exceptions: ['shop/free']}))]});
    expect(
      events.map(event => [event.reason, event.regarding.kind, event.regarding.namespace, event.regarding.name]),
    ).toEqual([
      ['PolicySkipped', 'PolicyException', 'shop', 'free'],
      ['PolicySkipped', 'ClusterPolicy', '', 'labels'],
    ]);
  });

  it('success is told only when asked for', () => {
    const results = [result(rule({status: 'pass'})), result(rule({status: 'pass', type: 'Mutation'}))];
    expect(eventsOf({results})).toEqual([]);
    expect(eventsOf({results, success: true}).map(event => [event.action, event.note])).toEqual([
      ['Resource Passed', 'Pod shop/web: pass'],
      ['Resource Mutated', 'Pod shop/web is successfully mutated'],
    ]);
    expect(eventsOf({results, success: true, successActions: ['Resource Mutated']}).length).toBe(1);
  });

  it('a cluster-scoped resource has no namespace in its text', () => {
    const request = {
      kind: {group: '', version: 'v1', kind: 'Namespace'},
      namespace: 'shop',
      name: 'shop',
      object: undefined,
      oldObject: undefined,
    };
    expect(eventsOf({request, results: [result(rule())], blocked: true})[0]?.note).toMatch(/^Namespace shop: /);
  });
});
