import {Buffer} from 'node:buffer';
import {afterEach, describe, expect, it} from 'vitest';
import {celEngineOf} from '../engine/cel-policies/testing/cel-engines.js';
import {imagePolicy, keys, off, signedByAlice, signers} from '../engine/cel-image/testing/policies.js';
import {type TestSourceOptions, testImageSource} from '../engine/cel-image/testing/image-source.js';
import type {JsonObject} from '../engine/json/types.js';
import {recordingLoader} from '../engine/testing/recording-loader.js';
import {type Harness, podReview, type Response, settle, startHarness} from './testing/harness.js';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const images = {
  'r.io/signed:1': {digest: digest('a'), signers: [keys.alice]},
  [`r.io/signed:1@${digest('a')}`]: {digest: digest('a'), signers: [keys.alice]},
  'r.io/unsigned:1': {digest: digest('b')},
  [`r.io/unsigned:1@${digest('b')}`]: {digest: digest('b')},
};

let harness: Harness | undefined;
afterEach(() => harness?.close());

async function serve(policies: readonly JsonObject[], options: TestSourceOptions = {}): Promise<Harness> {
  const loader = {...recordingLoader({imageSource: testImageSource(images, {later: true, ...options})}), now: () => 0};
  const engine = celEngineOf(policies, {loader});
  harness = await startHarness({cel: {engine, failurePolicyOf: () => 'Fail', isBackground: () => false}});
  return harness;
}

function review(image: string, fields: JsonObject = {}, annotations: JsonObject = {}): string {
  const metadata = {name: 'web', namespace: 'shop', annotations};
  return podReview({object: {apiVersion: 'v1', kind: 'Pod', metadata, spec: {containers: [{name: 'c', image}]}}, ...fields});
}

const patchOf = ({patch = ''}: Response) => (patch === '' ? [] : JSON.parse(Buffer.from(patch, 'base64').toString('utf8')));

const check = `${signers}, ${signedByAlice}`;
const reason = `image r.io/unsigned:1@${digest('b')}: attestor alice: no signature found`;

describe('paths of policies on images', () => {
  it('a tag gets its digest, then the signature is asked for', async () => {
    const {review: ask} = await serve([imagePolicy(`{${check}}`)]);
    const pinned = await ask('/ivpol/mutate/p?timeout=10s', review('r.io/signed:1'));
    expect([pinned.allowed, patchOf(pinned)]).toEqual([true, [{op: 'replace', path: '/spec/containers/0/image', value: `r.io/signed:1@${digest('a')}`}]]);
    expect(await ask('/ivpol/validate/p?timeout=10s', review(`r.io/signed:1@${digest('a')}`))).toMatchObject({allowed: true});
  });

  it('an unsigned image is denied in the words of the policy, and the reason is told', async () => {
    const {review: ask} = await serve([imagePolicy(`{${check}}`)]);
    expect(await ask('/ivpol/validate/p?timeout=10s', review(`r.io/unsigned:1@${digest('b')}`))).toMatchObject({
      allowed: false,
      status: {message: 'Policy p failed: not signed by alice'},
      warnings: [reason],
    });
  });

  it.each<[actions: string, allowed: boolean, warnings: readonly string[] | undefined]>([
    ['[Audit]', true, undefined],
    ['[Warn]', true, ['Policy p failed: not signed by alice', reason]],
    ['[Deny, Warn]', false, ['Policy p failed: not signed by alice', reason]],
  ])('with actions %s', async (actions, allowed, warnings) => {
    const {review: ask} = await serve([imagePolicy(`{${check}, validationActions: ${actions}}`)]);
    const answer = await ask('/ivpol/validate/p?timeout=10s', review(`r.io/unsigned:1@${digest('b')}`));
    expect([answer.allowed, answer.warnings]).toEqual([allowed, warnings]);
  });

  it.each<[failurePolicy: string, allowed: boolean]>([
    ['Fail', false],
    ['Ignore', true],
  ])('a registry that does not answer, under failure policy %s', async (failurePolicy, allowed) => {
    const {review: ask} = await serve([imagePolicy(`{${check}, failurePolicy: ${failurePolicy}}`)], {unreachable: ['r.io/signed:1']});
    const pinned = await ask('/ivpol/mutate/p?timeout=10s', review('r.io/signed:1'));
    const text = 'Policy p error: failed to update digest: failed to resolve digest for image r.io/signed:1: connection refused';
    expect([pinned.allowed, pinned.status?.message ?? pinned.warnings]).toEqual([allowed, allowed ? [text] : text]);
  });

  it('each kind and name has its own path, of its own namespace', async () => {
    const twin = imagePolicy(`{${signers}, ${off}, ${signedByAlice}}`, {name: 'n', namespace: 'shop'}, 'NamespacedImageValidatingPolicy');
    const {review: ask} = await serve([imagePolicy(`{${check}}`), twin]);
    const image = `r.io/unsigned:1@${digest('b')}`;
    expect((await ask('/ivpol/validate/other?timeout=10s', review(image))).allowed).toBe(true);
    expect((await ask('/ivpol/validate/n?timeout=10s', review(image))).allowed).toBe(true);
    expect((await ask('/nivpol/validate/n?timeout=10s', review(image))).status?.message).toBe('Policy n failed: not signed by alice');
    expect((await ask('/nivpol/validate/n?timeout=10s', review(image, {namespace: 'elsewhere'}))).allowed).toBe(true);
  });

  it('a forged record of verification changes nothing and is taken away', async () => {
    const {review: ask} = await serve([imagePolicy(`{${check}}`)]);
    const forged = {'kyverno.io/image-verification-outcomes': '{"p":{"name":"p","status":"pass"}}'};
    const image = `r.io/unsigned:1@${digest('b')}`;
    expect((await ask('/ivpol/validate/p?timeout=10s', review(image, {}, forged))).allowed).toBe(false);
    const pinned = await ask('/ivpol/mutate/p?timeout=10s', review(image, {}, forged));
    expect(patchOf(pinned)).toEqual([{op: 'remove', path: '/metadata/annotations/kyverno.io~1image-verification-outcomes'}]);
  });

  it('nothing is filled in when an object goes', async () => {
    const {review: ask} = await serve([imagePolicy(`{${check}}`)]);
    const going = await ask('/ivpol/mutate/p?timeout=10s', review('r.io/signed:1', {operation: 'DELETE'}));
    expect(going).toEqual({uid: 'u-1', allowed: true});
  });

  it('verdicts go to reports, Events and metrics', async () => {
    const served = await serve([imagePolicy(`{${check}, validationActions: [Audit]}`)]);
    await served.review('/ivpol/validate/p?timeout=10s', review(`r.io/unsigned:1@${digest('b')}`));
    await settle();
    const [result] = served.records[0]?.results ?? [];
    expect([result?.source, result?.rules[0]]).toMatchObject([
      'KyvernoImageValidatingPolicy',
      {rule: 'p', status: 'fail', message: 'not signed by alice', properties: {imageVerification: reason}},
    ]);
    expect(await served.metrics.registry.metrics()).toMatch(/kyverno_image_validating_policy_results_total\{[^}]*policy_name="p"[^}]*result="fail"/);
  });
});
