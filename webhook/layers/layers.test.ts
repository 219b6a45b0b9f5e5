import {afterEach, describe, expect, it} from 'vitest';
import {
  podKinds,
  podReview,
  scriptedEngine,
  settle,
  startHarness,
  type Harness,
  type HarnessOptions,
} from '../testing/harness.js';
import {createMetrics} from '../metrics/metrics.js';
import {silentLogger} from '../../adapters/log/logger.js';
import type {RequestFilters} from '../types.js';
import {redact, redactPatch} from './payload-dump.js';

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/** A server whose parts note when they are asked. */
async function noting(overrides: HarnessOptions = {}) {
  const order: string[] = [];
  const note = (step: string) => {
    order.push(step);
    return false;
  };
  const metrics = createMetrics({version: 't', processMetrics: false});
  const filters: RequestFilters = {
    protects: () => note('protection'),
    excludesUser: () => note('user filter'),
    excludesResource: () => note('resource filter'),
  };
  harness = await startHarness({
    resources: () => {
      order.push('kind');
      return podKinds;
    },
    metrics: {...metrics, admission: () => void order.push('metrics')},
    roles: {
      rolesOf: () => {
        order.push('roles');
        return {roles: [], clusterRoles: []};
      },
    },
    log: {...silentLogger, enabled: level => level === 4, v: (_level, message) => void order.push(message)},
    dumpPayload: true,
    filters: () => filters,
    engine: scriptedEngine({
      validate: (_request, {bucket}) => {
        order.push(bucket);
        return {results: []};
      },
      mutate: request => {
        order.push('mutate');
        return {results: [], object: request.object, patch: []};
      },
    }),
    ...overrides,
  });
  return {order, harness};
}

describe('the layers', () => {
  it('come in order: kind, roles, dump, protection, filters, handler; metrics see the answer', async () => {
    const {order, harness: running} = await noting();
    await running.review('/validate/fail', podReview({subResource: 'exec', operation: 'CONNECT'}));
    await settle();
    expect(order).toEqual([
      'kind',
      'roles',
      'admission request',
      'protection',
      'user filter',
      'resource filter',
      'enforce',
      'audit-warn',
      'audit',
      'admission answer',
      'metrics',
    ]);
  });

  it('the kind comes before metrics: an unknown one is not counted, and refused by failure policy', async () => {
    const {order, harness: running} = await noting();
    const body = podReview({subResource: 'scale', resource: {group: 'x', version: 'v1', resource: 'things'}});
    expect(await running.review('/validate/fail', body)).toMatchObject({
      allowed: false,
      status: {message: 'failed to find the kind of resource x/v1/things'},
    });
    expect(await running.review('/validate/ignore', body)).toMatchObject({
      allowed: true,
      warnings: ['failed to find the kind of resource x/v1/things'],
    });
    expect(order).toEqual(['kind', 'kind']);
  });

  it('metrics come before the operation filter: a DELETE on a mutating path is counted and asks for no roles', async () => {
    const {order, harness: running} = await noting();
    const answer = await running.review('/mutate/fail', podReview({operation: 'DELETE', object: null}));
    expect(answer).toEqual({uid: 'u-1', allowed: true});
    expect(order).toEqual(['metrics']);
  });

  it.each(['CREATE', 'UPDATE', 'CONNECT'])('a %s on a mutating path is judged', async operation => {
    const {order, harness: running} = await noting();
    await running.review('/mutate/fail', podReview({operation}));
    expect(order).toContain('mutate');
  });

  it('a plain request needs no look-up of its kind', async () => {
    const {order, harness: running} = await noting();
    await running.review('/validate/fail');
    expect(order).not.toContain('kind');
  });

  it('roles come before the dump and fail by failure policy', async () => {
    const {order, harness: running} = await noting({
      roles: {
        rolesOf: () => {
          throw new Error('bindings not read yet');
        },
      },
    });
    const text = 'failed to look up the roles of the requester: bindings not read yet';
    expect(await running.review('/validate/fail')).toMatchObject({allowed: false, status: {message: text}});
    expect(await running.review('/validate')).toMatchObject({allowed: false});
    expect(await running.review('/validate/ignore')).toMatchObject({allowed: true, warnings: [text]});
    expect(order).toEqual(['metrics', 'metrics', 'metrics']);
  });

  it('protection comes before the filters and refuses in the field’s words', async () => {
    const {harness: running} = await noting({
      filters: () => ({
        protects: () => true,
        excludesUser: () => {
          throw new Error('not to be asked');
        },
        excludesResource: () => false,
      }),
    });
    expect((await running.review('/validate/fail')).status?.message).toBe(
      'A kyverno managed resource can only be modified by kyverno',
    );
  });

  it('an excluded user, resource or own kind is not judged', async () => {
    for (const [filters, body] of [
      [{excludesUser: () => true, excludesResource: () => false}, podReview()],
      [{excludesUser: () => false, excludesResource: () => true}, podReview()],
      [
        {excludesUser: () => false, excludesResource: () => false},
        podReview({kind: {group: 'kyverno.io', version: 'v2', kind: 'UpdateRequest'}}),
      ],
    ] as const) {
      const {order, harness: running} = await noting({filters: () => filters});
      expect((await running.review('/validate/fail', body)).allowed).toBe(true);
      expect(order).not.toContain('enforce');
      await running.close();
    }
  });

  it('a kind of another group is judged, whatever its name', async () => {
    const {order, harness: running} = await noting({filters: () => ({excludesUser: () => false, excludesResource: () => false})});
    await running.review('/validate/fail', podReview({kind: {group: 'example.com', version: 'v1', kind: 'UpdateRequest'}}));
    expect(order).toContain('enforce');
  });

  it('filters see the top-level kind with the subresource', async () => {
    const seen: unknown[] = [];
    const {harness: running} = await noting({
      filters: () => ({
        excludesUser: () => false,
        excludesResource: resource => seen.push(resource) < 0,
      }),
    });
    const body = podReview({subResource: 'exec', kind: {group: '', version: 'v1', kind: 'PodExecOptions'}});
    await running.review('/validate/fail', body);
    expect(seen).toEqual([
      {group: '', version: 'v1', kind: 'Pod', subResource: 'exec', namespace: 'shop', name: 'web'},
    ]);
  });

  it('policy paths have metrics, subresource filter and handler only', async () => {
    let reviews = 0;
    const {order, harness: running} = await noting({
      policyReview: {
        review: () => {
          reviews++;
          return {allowed: true, errors: [], warnings: ['w']};
        },
      },
    });
    expect(await running.review('/policyvalidate', podReview({subResource: 'status'}))).toEqual({
      uid: 'u-1',
      allowed: true,
    });
    expect(reviews).toBe(0);
    expect(await running.review('/policyvalidate')).toMatchObject({allowed: true, warnings: ['w']});
    expect(reviews).toBe(1);
    expect(order.filter(step => !step.startsWith('admission'))).toEqual(['metrics', 'metrics']);
  });

  it('an object being deleted is judged like any other', async () => {
    const {order, harness: running} = await noting();
    const object = {metadata: {name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z'}};
    await running.review('/validate/fail', podReview({operation: 'UPDATE', object}));
    await settle();
    expect(order).toContain('enforce');
  });
});

it('a dumped Secret has no values, neither in data nor in annotations', () => {
  const secret = {
    metadata: {annotations: {last: 'c2VjcmV0'}},
    data: {password: 'c2VjcmV0'},
    stringData: {token: 'secret'},
  };
  const text = JSON.stringify(redact({object: secret, oldObject: secret}, 'Secret'));
  expect(text).not.toMatch(/c2VjcmV0|"secret"/);
  expect(text).toContain('password');
  expect(redact({object: secret}, 'ConfigMap')).toEqual({object: secret});
});

it('a dumped patch of a Secret has no values', () => {
  const patch = '[{"op":"add","path":"/data/password","value":"c2VjcmV0"},{"op":"remove","path":"/data/old"}]';
  expect(redactPatch(patch, 'Secret')).toBe(
    '[{"op":"add","path":"/data/password","value":"**REDACTED**"},{"op":"remove","path":"/data/old"}]',
  );
  expect(redactPatch(patch, 'ConfigMap')).toBe(patch);
});
