import {describe, expect, it} from 'vitest';
import type {PolicyResult, RuleResult} from '../../engine/types.js';
import {eventIdentity} from './event.js';
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

  it('a refused change is told on the object that stays, without the words of the refusal', () => {
    const request = {kind: {group: '', version: 'v1', kind: 'Pod'}, namespace: 'shop', name: 'web', object: {}, oldObject: {metadata: {uid: 'u1'}}};
    const events = eventsOf({request, blocked: true, results: [result(rule())]});
    expect(events.map(event => [event.regarding.kind, event.note])).toEqual([
      ['ClusterPolicy', expect.stringContaining('webhook denied')],
      ['Pod', 'policy labels/need-app fail (blocked): label app is required'],
    ]);
  });

  it('warnings are told as failures are, and name no rule where there is none', () => {
    const policy = {apiVersion: 'policies.kyverno.io/v1beta1', kind: 'ValidatingPolicy', namespace: '', name: 'cel', key: 'cel'};
    const cel = {...result(rule({rule: '', status: 'warn', action: 'Audit'})), policy};
    expect(eventsOf({results: [cel]}).map(event => event.note)).toEqual([
      'Pod shop/web: warn; label app is required',
      'policy cel warn: label app is required',
    ]);
    const excepted = {...result(rule({rule: '', status: 'skip', exceptions: ['shop/free']})), policy};
    expect(eventsOf({results: [excepted]}).map(event => event.regarding.apiVersion)).toEqual(['policies.kyverno.io/v1beta1', 'policies.kyverno.io/v1beta1', 'v1']);
  });

  it('repeated tries to make what is refused are one event', () => {
    const tries = ['u1', 'u2'].map(uid => {
      const request = {kind: {group: '', version: 'v1', kind: 'Pod'}, namespace: 'shop', name: 'web', object: {metadata: {uid}}, oldObject: undefined};
      return eventsOf({request, blocked: true, results: [result(rule())]}).map(eventIdentity);
    });
    expect(tries[0]).toHaveLength(1);
    expect(tries[0]).toEqual(tries[1]);
  });

  it('all events of a request carry the id of its decision', () => {
    expect(eventsOf({decision: 'd1', results: [result(rule())]}).map(event => event.decision)).toEqual(['d1', 'd1']);
    expect(eventsOf({decision: '', results: [result(rule())]})[0]).not.toHaveProperty('decision');
  });

  it('an exception is told on itself, on the policy and on the object', () => {
    const events = eventsOf({results: [result(rule({status: 'skip', exceptions: ['shop/free']}))]});
    expect(
      events.map(event => [event.reason, event.regarding.kind, event.regarding.namespace, event.regarding.name]),
    ).toEqual([
      ['PolicySkipped', 'PolicyException', 'shop', 'free'],
      ['PolicySkipped', 'ClusterPolicy', '', 'labels'],
      ['PolicySkipped', 'Pod', 'shop', 'web'],
    ]);
    expect(events[2]?.note).toBe('policy labels/need-app skip: policy exception shop/free');
  });

  it('success is told only when asked for', () => {
    const results = [result(rule({status: 'pass'})), result(rule({status: 'pass', type: 'Mutation'}))];
    expect(eventsOf({results})).toEqual([]);
    expect(eventsOf({results, success: true}).map(event => [event.action, event.note])).toEqual([
      ['Resource Passed', 'Pod shop/web: pass'],
      ['Resource Passed', 'policy labels/need-app pass'],
      ['Resource Mutated', 'Pod shop/web is successfully mutated'],
      ['Resource Mutated', 'policy labels/need-app pass'],
    ]);
    expect(eventsOf({results, success: true, successActions: ['Resource Mutated']}).length).toBe(2);
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
