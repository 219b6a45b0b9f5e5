import {describe, expect, it} from 'vitest';
import {createManualClock} from '../adapters/clock/manual-clock.js';
import {issueCa, issueLeaf} from '../adapters/tls/index.js';
import {certificateCheck, readinessOf} from './readiness.js';

const day = 86_400_000;

describe('readiness', () => {
  it('lists what is not ready', () => {
    const reasons: Array<string | undefined> = ['caches not read', undefined, 'no certificate'];
    const report = readinessOf(reasons.map(reason => () => reason));
    expect(report()).toEqual({ready: false, reasons: ['caches not read', 'no certificate']});
    reasons.fill(undefined);
    expect(readinessOf(reasons.map(reason => () => reason))()).toEqual({ready: true, reasons: []});
  });

  it('follows certificate, bundle and clock', async () => {
    const clock = createManualClock();
    const ca = await issueCa({algorithm: 'ECDSA', now: clock.now(), commonName: 'a'});
    const other = await issueCa({algorithm: 'ECDSA', now: clock.now(), commonName: 'b'});
    const leaf = await issueLeaf({ca, algorithm: 'ECDSA', now: clock.now(), dnsNames: ['svc']});
    let bundle = ca.cert;
    const check = certificateCheck({current: () => ({...leaf, ca: bundle}), subscribe: () => () => {}}, clock);
    expect(check()).toBeUndefined();
    bundle = other.cert;
    expect(check()).toContain('not signed by any CA');
    bundle = other.cert + ca.cert;
    expect(check()).toBeUndefined();
    clock.advance(149 * day);
    expect(check()).toBeUndefined();
    clock.advance(day);
    expect(check()).toContain('not valid now');
  });
});
