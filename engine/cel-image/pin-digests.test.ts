import {describe, expect, it} from 'vitest';
import {call, celException} from '../cel-policies/testing/cel-engines.js';
import {type Json, type JsonObject, ownPath} from '../json/types.js';
import {frozen, pod, requestOf} from '../testing/requests.js';
import {type TestImage, testImageSource} from './testing/image-source.js';
import {imageEngine, imagePolicy, signedByAlice, signers} from './testing/policies.js';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const images: Readonly<Record<string, TestImage>> = {'r.io/a:1': {digest: digest('a')}, 'r.io/b': {digest: digest('b')}};
const check = `${signers}, ${signedByAlice}`;

const podSpec = (...names: readonly string[]): JsonObject => ({containers: names.map((image, index) => ({name: `c${index}`, image}))});

async function pinned(object: JsonObject, spec: string, {more = [], later = false}: {more?: readonly JsonObject[]; later?: boolean} = {}) {
  const engine = imageEngine([imagePolicy(`{${spec}}`), ...more], testImageSource(images, {later}));
  const {results, patch} = await engine.pinImages(requestOf({object: frozen(object)}), {...call, kind: 'ImageValidatingPolicy'});
  return {patch, results: results.flatMap(({rules}) => rules.map(({rule, status, message}) => `${rule} ${status} ${message}`))};
}

const replaced = (path: string, value: Json) => ({op: 'replace', path, value});

describe.each([false, true])('images are named by their digests, answers later: %s', later => {
  it('in every container', async () => {
    const object = pod('a', {spec: {...podSpec('r.io/a:1'), initContainers: [{name: 'i', image: 'r.io/b'}]}});
    expect(await pinned(object, check, {later})).toEqual({
      patch: [replaced('/spec/containers/0/image', `r.io/a:1@${digest('a')}`), replaced('/spec/initContainers/0/image', `r.io/b@${digest('b')}`)],
      results: [],
    });
  });

  it.each<[what: string, image: string, spec: string]>([
    ['one that has a digest', `r.io/a:1@${digest('c')}`, check],
    ['one that is not meant', 'r.io/a:1', `${check}, matchImageReferences: [{glob: "q.io/*"}]`],
    ['where the policy does not want it', 'r.io/a:1', `${check}, validationConfigurations: {mutateDigest: false}`],
    ['where its conditions do not hold', 'r.io/a:1', `${check}, matchConditions: [{name: c, expression: "false"}]`],
  ])('but not %s', async (_what, image, spec) => {
    expect(await pinned(pod('a', {spec: podSpec(image)}), spec, {later})).toEqual({patch: [], results: []});
  });

  it('what an exception lets through stays', async () => {
    const exception = celException('{policyRefs: [{name: p, kind: ImageValidatingPolicy}], images: ["r.io/a:1"]}');
    const {patch} = await pinned(pod('a', {spec: podSpec('r.io/a:1', 'r.io/b')}), check, {more: [exception], later});
    expect(patch).toEqual([replaced('/spec/containers/1/image', `r.io/b@${digest('b')}`)]);
  });

  it('a digest that is not to be had is told, others are filled in', async () => {
    expect(await pinned(pod('a', {spec: podSpec('r.io/none', 'r.io/b')}), check, {later})).toEqual({
      patch: [replaced('/spec/containers/1/image', `r.io/b@${digest('b')}`)],
      results: ['mutateDigest error failed to update digest: failed to resolve digest for image r.io/none: manifest unknown'],
    });
  });

  it('several policies fill in once', async () => {
    const {patch} = await pinned(pod('a', {spec: podSpec('r.io/a:1')}), check, {more: [imagePolicy(`{${check}}`, {name: 'q'})], later});
    expect(patch).toEqual([replaced('/spec/containers/0/image', `r.io/a:1@${digest('a')}`)]);
  });
});

describe('images of workloads', () => {
  const workload = (apiVersion: string, kind: string, spec: JsonObject): JsonObject => ({apiVersion, kind, metadata: {name: 'w', namespace: 'default'}, spec});
  const template = {template: {spec: podSpec('r.io/a:1')}};

  it.each<[kind: string, object: JsonObject, path: string]>([
    ['Deployment', workload('apps/v1', 'Deployment', template), '/spec/template/spec/containers/0/image'],
    ['CronJob', workload('batch/v1', 'CronJob', {jobTemplate: {spec: template}}), '/spec/jobTemplate/spec/template/spec/containers/0/image'],
  ])('of a %s', async (_kind, object, path) => {
    expect(await pinned(object, check)).toEqual({patch: [replaced(path, `r.io/a:1@${digest('a')}`)], results: []});
  });

  it('of a kind of its own', async () => {
    const object = workload('jobset.x-k8s.io/v1alpha2', 'JobSet', {replicatedJobs: [{name: 'w', template: {spec: template}}]});
    const spec = `${check}, autogen: {podControllers: {controllers: [jobsets.v1alpha2.jobset.x-k8s.io]}}`;
    expect(await pinned(object, spec)).toEqual({
      patch: [replaced('/spec/replicatedJobs/0/template/spec/template/spec/containers/0/image', `r.io/a:1@${digest('a')}`)],
      results: [],
    });
  });
});

it('a bug of a registry client is told like any fault', async () => {
  const source = {...testImageSource(images), resolveDigest: () => { throw new TypeError('a bug'); }};
  const engine = imageEngine([imagePolicy(`{${check}}`)], source);
  const {results} = await engine.pinImages(requestOf({object: pod('a', {spec: podSpec('r.io/a:1')})}), {...call, kind: 'ImageValidatingPolicy'});
  expect(results[0]?.rules[0]?.message).toBe('failed to update digest: failed to resolve digest for image r.io/a:1: a bug');
});

it('an annotation that claims to prove verification is taken away', async () => {
  const annotations = {'kyverno.io/image-verification-outcomes': '{"p":{"status":"pass"}}', other: 'x'};
  const {patch} = await pinned(pod('a', {metadata: {annotations}, spec: podSpec(`r.io/a:1@${digest('a')}`)}), check);
  expect(patch).toEqual([{op: 'remove', path: '/metadata/annotations/kyverno.io~1image-verification-outcomes'}]);
  expect(ownPath(annotations, 'other')).toBe('x');
});
