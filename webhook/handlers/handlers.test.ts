import {afterEach, describe, expect, it} from 'vitest';
import type {MutateResponse, PolicyResult, ValidateOptions, ValidateResponse} from '../../engine/types.js';
import {
  type Harness,
  type HarnessOptions,
  podReview,
  policy,
  rule,
  scriptedEngine,
  settle,
  startHarness,
} from '../testing/harness.js';

const running: Harness[] = [];
afterEach(async () => {
  for (const harness of running.splice(0)) await harness.close();
});
async function start(options: HarnessOptions = {}): Promise<Harness> {
  const harness = await startHarness(options);
  running.push(harness);
  return harness;
}
const failing = (name: string, message: string, action: 'Enforce' | 'Audit' = 'Enforce') =>
  policy(name, [rule('check', {status: 'fail', message, action})]);
const inBucket = (bucket: ValidateOptions['bucket'], ...results: ValidateResponse['results']) =>
  scriptedEngine({validate: (_request, options) => ({results: options.bucket === bucket ? results : []})});

/** What the API server's audit log gets of these verdicts: policy, rule, result, action. */
function annotated(...verdicts: ReadonlyArray<readonly [string, string, string, string]>): Record<string, string> {
  const results = verdicts.map(([name, check, result, action]) => ({policy: name, rule: check, result, action}));
  return {'decision-id': 'u-1', results: JSON.stringify(results)};
}

describe('validation', () => {
  it('hands the engine the request in its shape, with the path’s failure policy and a deadline', async () => {
    const asked: unknown[] = [];
    const harness = await start({
      roles: {rolesOf: () => ({roles: ['shop:edit'], clusterRoles: ['view']})},
      engine: scriptedEngine({
        validate: (request, options) => {
          asked.push(request, options);
          return {results: []};
        },
      }),
    });
    await harness.review('/validate/ignore?timeout=5s', podReview({dryRun: true}));
    expect(asked[0]).toMatchObject({
      uid: 'u-1',
      kind: {kind: 'Pod'},
      namespace: 'shop',
      operation: 'CREATE',
      oldObject: undefined,
      dryRun: true,
      user: {username: 'alice', groups: ['devs'], roles: ['shop:edit'], clusterRoles: ['view']},
      raw: {userInfo: {username: 'alice'}},
    });
    expect(asked[1]).toEqual({bucket: 'enforce', failurePolicy: 'Ignore', deadline: harness.clock.now() + 4350});
    expect(asked[3]).toMatchObject({bucket: 'audit-warn', failurePolicy: 'Ignore'});
  });

  it('two failing policies make one message with both', async () => {
    const harness = await start({
      engine: inBucket('enforce', failing('two', 'second'), failing('one', 'validation error: first')),
    });
    expect(await harness.review('/validate/fail')).toEqual({
      uid: 'u-1',
      auditAnnotations: annotated(['two', 'check', 'fail', 'Enforce'], ['one', 'check', 'fail', 'Enforce']),
      allowed: false,
      status: {
        metadata: {},
        status: 'Failure',
        message:
          "\n\nresource Pod/shop/web was blocked due to the following policies \n\none:\n  check: 'validation error: first'\ntwo:\n  check: second\n",
        details: {causes: [{reason: 'DecisionID', message: 'u-1'}]},
      },
    });
    const line = harness.lines.find(text => text.includes('webhook denied'))!;
    expect(line).toMatch(/failed/);
    expect(line).toContain('one/check');
    expect(line).toContain('two/check');
    expect(harness.lines.filter(text => text.includes('webhook denied'))).toHaveLength(1);
  });

  it('an error under Ignore lets through with a warning and a line', async () => {
    const broken = policy('p', [rule('r', {status: 'error', message: 'no such key'})], {failurePolicy: 'Ignore'});
    const harness = await start({engine: inBucket('enforce', broken)});
    expect(await harness.review('/validate/ignore')).toEqual({
      uid: 'u-1',
      allowed: true,
      auditAnnotations: annotated(['p', 'r', 'error', 'Enforce']),
      warnings: ['policy p.r: no such key'],
    });
    expect(harness.lines.some(line => line.includes('policy p failed') && line.includes('no such key'))).toBe(true);
  });

  it('audit policies that ask for it warn, on one line, and never refuse', async () => {
    const loud = policy('p', [rule('r', {status: 'fail', action: 'Audit', message: 'line one\nline two'})], {
      emitWarning: true,
    });
    const harness = await start({engine: inBucket('audit-warn', loud)});
    expect(await harness.review('/validate/fail')).toEqual({
      uid: 'u-1',
      allowed: true,
      auditAnnotations: annotated(['p', 'r', 'fail', 'Audit']),
      warnings: ['policy p.r: line one line two'],
    });
  });

  it('warnings that cannot be made change no verdict', async () => {
    const harness = await start({
      engine: scriptedEngine({
        validate: (_request, {bucket}) => {
          if (bucket === 'audit-warn') throw new Error('boom');
          return {results: []};
        },
      }),
    });
    expect((await harness.review('/validate/fail')).allowed).toBe(true);
    expect(harness.lines.join()).toContain('warnings of audit policies failed: boom');
  });

  it('a path with a policy name runs exactly that policy, all its rules', async () => {
    const asked: ValidateOptions[] = [];
    const harness = await start({
      policies: {has: key => key === 'shop/p'},
      engine: scriptedEngine({
        validate: (_request, options) => {
          asked.push(options);
          return {results: [failing('p', 'only noted', 'Audit')]};
        },
      }),
    });
    expect(await harness.review('/validate/fail/finegrained/shop/p')).toMatchObject({
      allowed: true,
      warnings: ['policy p.check: only noted'],
    });
    await settle();
    expect(asked).toEqual([{bucket: 'all', only: ['shop/p'], deadline: expect.any(Number)}]);
    expect(harness.records).toHaveLength(1);
    expect(await harness.review('/validate/fail/finegrained/q')).toMatchObject({
      allowed: false,
      status: {message: 'failed to fetch policy with key: key /q: policy not found'},
    });
    expect((await harness.review('/validate/ignore/finegrained/q')).allowed).toBe(true);
  });

  it('an engine that hangs is answered for half a second before the timeout', async () => {
    const harness = await start({engine: scriptedEngine({validate: () => new Promise(() => {})})});
    const pending = harness.review('/validate/fail?timeout=10s');
    while (harness.clock.pending() === 0) await settle(1);
    harness.clock.advance(9500);
    expect(await pending).toMatchObject({
      allowed: false,
      status: {message: 'failed to judge the request within its timeout of 10s'},
    });
    expect(harness.lines.join()).toContain('webhook denied the request: CREATE Pod shop/web failed');
  });

  it('warnings that hang let the standing answer out', async () => {
    const harness = await start({
      engine: scriptedEngine({
        validate: (_request, {bucket}) => (bucket === 'audit-warn' ? new Promise(() => {}) : {results: []}),
      }),
    });
    const pending = harness.review('/validate/fail?timeout=10s');
    while (!harness.clock.pending()) await settle(1);
    harness.clock.advance(9500);
    expect((await pending).allowed).toBe(true);
  });
});

describe('what follows the answer', () => {
  it('is one record with verdicts of both kinds', async () => {
    const harness = await start({
      engine: scriptedEngine({
        validate: (_request, {bucket}) => ({
          results: [
            bucket === 'enforce' ? policy('e', [rule('r')]) : failing(bucket === 'audit' ? 'a' : 'w', 'noted', 'Audit'),
          ],
        }),
        generate: () => ({results: [policy('g', [rule('r', {type: 'Generation'})])]}),
      }),
    });
    expect((await harness.review('/validate/fail')).allowed).toBe(true);
    await settle();
    expect(harness.records).toHaveLength(1);
    expect(harness.records[0]).toMatchObject({webhook: 'validate', allowed: true, request: {uid: 'u-1'}});
    expect(harness.records[0]!.results.map(result => result.policy.name)).toEqual(['e', 'w', 'a', 'g']);
    expect(harness.lines.some(line => line.includes('policy a failed'))).toBe(true);
  });

  it('that needs nothing from outside is in the API server’s audit log too, once judged and once told', async () => {
    let runs = 0;
    const harness = await start({
      engine: scriptedEngine({
        validate: (_, {bucket}) => {
          if (bucket !== 'audit') return {results: []};
          runs += 1;
          return {results: [policy('a', [rule('r', {status: 'fail', action: 'Audit'})])]};
        },
      }),
    });
    expect(await harness.review('/validate/fail')).toEqual({uid: 'u-1', allowed: true, auditAnnotations: annotated(['a', 'r', 'fail', 'Audit'])});
    await settle();
    expect(runs).toBe(1);
    expect(harness.records[0]?.results.map(result => result.policy.name)).toEqual(['a']);
    expect(harness.lines.filter(line => line.includes('policy a failed'))).toHaveLength(1);
  });

  it('that has to wait follows the answer', async () => {
    let answered: (results: PolicyResult[]) => void = () => undefined;
    const harness = await start({
      engine: scriptedEngine({
        validate: (_, {bucket}) => (bucket === 'audit' ? new Promise(resolve => (answered = results => resolve({results}))) : {results: []}),
      }),
    });
    expect(await harness.review('/validate/fail')).toEqual({uid: 'u-1', allowed: true});
    await settle();
    expect(harness.records).toEqual([]);
    answered([policy('late', [rule('r', {status: 'fail', action: 'Audit'})])]);
    await settle();
    expect(harness.records[0]?.results.map(result => result.policy.name)).toEqual(['late']);
  });

  it('that fails changes no answer and says so', async () => {
    const harness = await start({
      engine: scriptedEngine({
        validate: (_, {bucket}) => {
          if (bucket === 'audit') throw new Error('broken');
          return {results: []};
        },
      }),
    });
    expect(await harness.review('/validate/fail')).toEqual({uid: 'u-1', allowed: true});
    await settle();
    expect(harness.lines.some(line => line.includes('broken'))).toBe(true);
  });

  it('of a refusal is a record with its message and no audit run', async () => {
    const harness = await start({engine: inBucket('enforce', failing('p', 'm'))});
    await harness.review('/validate/fail');
    await settle();
    expect(harness.records).toMatchObject([{allowed: false, message: expect.stringContaining('p:\n  check: m')}]);
  });

  it('of a dry run is nothing', async () => {
    const harness = await start({engine: inBucket('enforce', failing('p', 'm'))});
    await harness.review('/validate/fail', podReview({dryRun: true}));
    await harness.review('/mutate/fail', podReview({dryRun: true}));
    await settle();
    expect(harness.records).toEqual([]);
  });

  it.each([
    ['hangs', () => new Promise<void>(() => {}), 'given up after 30 s'],
    ['fails', () => Promise.reject(new Error('answered 500')), 'failed: answered 500'],
    [
      'throws',
      () => {
        throw new Error('no');
      },
      'failed: no',
    ],
  ])('neither delays nor fails a request when its sink %s', async (_name, submit, line) => {
    const harness = await start({engine: inBucket('enforce', policy('p', [rule('r')])), audit: {submit}});
    for (let count = 0; count < 20; count++) expect((await harness.review('/validate/fail')).allowed).toBe(true);
    await settle();
    harness.clock.advance(30_000);
    await settle();
    const lines = harness.lines.filter(text => text.includes('audit work for'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(line);
  });
});

describe('mutation', () => {
  const patch: MutateResponse['patch'] = [{op: 'add', path: '/metadata/labels', value: {a: 'b'}}];

  it('answers with one patch from what came in to what goes out', async () => {
    const seen: unknown[] = [];
    const mutated = {metadata: {labels: {a: 'b'}}};
    const harness = await start({
      engine: scriptedEngine({
        mutate: () => ({results: [policy('m', [rule('r', {type: 'Mutation'})])], object: mutated, patch}),
        verifyAndPatchImages: request => {
          seen.push(request.object);
          return {results: [], object: request.object, patch: [{op: 'remove', path: '/x'}]};
        },
      }),
    });
    const answer = await harness.review('/mutate/fail');
    expect(answer.patchType).toBe('JSONPatch');
    expect(JSON.parse(Buffer.from(answer.patch!, 'base64').toString())).toEqual([...patch, {op: 'remove', path: '/x'}]);
    expect(seen).toEqual([mutated]);
    await settle();
    expect(harness.records).toMatchObject([{webhook: 'mutate', allowed: true}]);
  });

  it('without change has no patch', async () => {
    const harness = await start();
    expect(await harness.review('/mutate/fail')).toEqual({uid: 'u-1', allowed: true});
  });

  it('that cannot be applied refuses in the field’s words', async () => {
    const broken = policy('m', [rule('set', {status: 'error', message: 'boom', type: 'Mutation'})]);
    const harness = await start({
      engine: scriptedEngine({
        mutate: request => ({results: [broken], object: request.object, patch: [], denied: 'boom'}),
      }),
    });
    expect((await harness.review('/mutate/fail')).status?.message).toBe(
      'mutation policy m error: failed to apply policy m rules [set: boom]',
    );
  });

  it('warns of errors under Ignore', async () => {
    const broken = policy('m', [rule('set', {status: 'error', message: 'boom'})], {failurePolicy: 'Ignore'});
    const harness = await start({
      engine: scriptedEngine({mutate: request => ({results: [broken], object: request.object, patch: []})}),
    });
    expect(await harness.review('/mutate/ignore')).toEqual({
      uid: 'u-1',
      allowed: true,
      auditAnnotations: annotated(['m', 'set', 'error', 'Enforce']),
      warnings: ['policy m.set: boom'],
    });
  });
});

describe('policy objects', () => {
  it('all faults come in one answer, each with its path', async () => {
    const harness = await start({
      policyReview: {
        review: () => ({
          allowed: false,
          errors: [
            {code: 'a', message: 'is required', path: 'spec.rules[0].name'},
            {code: 'b', message: 'unknown field', path: 'spec.x', hint: 'remove it'},
          ],
          warnings: ['deprecated'],
        }),
      },
    });
    for (const path of [
      '/policyvalidate',
      '/exceptionvalidate',
      '/celexception/validate',
      '/globalcontextvalidate',
      '/cleanupvalidate',
    ]) {
      expect(await harness.review(path)).toMatchObject({
        allowed: false,
        status: {message: '2 faults:\n- spec.rules[0].name: is required\n- spec.x: unknown field (remove it)'},
        warnings: ['deprecated'],
      });
    }
    expect(await harness.review('/policymutate')).toEqual({uid: 'u-1', allowed: true});
  });
});

it('the watchdog’s lease gets this server’s time', async () => {
  const harness = await start();
  const lease = (annotations: Record<string, string>) =>
    podReview({operation: 'UPDATE', object: {metadata: {annotations}}});
  const answer = await harness.review('/verifymutate', lease({'kyverno.io/last-request-time': 'old'}));
  expect(JSON.parse(Buffer.from(answer.patch!, 'base64').toString())).toEqual([
    {op: 'replace', path: '/metadata/annotations/kyverno.io~1last-request-time', value: '2026-01-01T00:00:00Z'},
  ]);
  expect(await harness.review('/verifymutate', lease({other: 'x'}))).toEqual({uid: 'u-1', allowed: true});
});
