import {describe, expect, it} from 'vitest';
import {policy, rule} from '../testing/harness.js';
import {auditAnnotations} from './audit-annotations.js';

describe('audit annotations', () => {
  it('name policy, rule, result and action, worst first', () => {
    const found = auditAnnotations('d1', {allowed: false, message: 'no'}, [
      policy('fine', [rule('a')]),
      policy('labels', [rule('b', {status: 'fail'}), rule('c', {status: 'warn', action: 'Audit'})], {namespace: 'shop'}),
    ]);
    expect(found?.['decision-id']).toBe('d1');
    expect(JSON.parse(found?.['results'] ?? '')).toEqual([
      {policy: 'shop/labels', rule: 'b', result: 'fail', action: 'Enforce'},
      {policy: 'shop/labels', rule: 'c', result: 'warn', action: 'Audit'},
      {policy: 'fine', rule: 'a', result: 'pass', action: 'Enforce'},
    ]);
    expect(found).not.toHaveProperty('results-omitted');
  });

  it('are absent where no policy had anything to say', () => {
    expect(auditAnnotations('d', {allowed: true}, [])).toBeUndefined();
    expect(auditAnnotations('d', {allowed: true}, undefined)).toBeUndefined();
    expect(auditAnnotations('d', {allowed: true}, [policy('p', [])])).toBeUndefined();
  });

  it('say why a request could not be judged', () => {
    expect(auditAnnotations('d', {allowed: false, error: 'x'.repeat(9_000)}, undefined)).toEqual({'decision-id': 'd', error: 'x'.repeat(512)});
  });

  it('are bounded and lose what passed first', () => {
    const rules = Array.from({length: 500}, (_, index) => rule(`rule-ü-${index}`));
    const found = auditAnnotations('d', {allowed: true}, [policy('p', [...rules, rule('last', {status: 'error'})])]);
    const text = found?.['results'] ?? '';
    const shown = JSON.parse(text) as Array<{readonly rule: string}>;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
    expect(shown[0]?.rule).toBe('last');
    expect(shown.length + Number(found?.['results-omitted'])).toBe(501);
  });

  it('have keys that the API server takes', () => {
    const found = auditAnnotations('d', {allowed: true, error: 'e'}, [policy('p', Array.from({length: 200}, () => rule('r')))]);
    for (const key of Object.keys(found ?? {})) expect(key).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    expect(Object.keys(found ?? {})).toHaveLength(4);
  });
});
