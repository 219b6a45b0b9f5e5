import {afterEach, describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {applyJsonPatch} from '../../engine/mutate/index.js';
import {engineOf, policyOf} from '../../engine/testing/engines.js';
import {recordingImages} from '../../engine/testing/image-source.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import type {JsonPatchOperation} from '../../engine/types.js';
import {type Harness, podReview, startHarness} from '../testing/harness.js';

const digest = `sha256:${'a'.repeat(64)}`;
const key = '-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----';
const rules = (more: string) =>
  `[{name: signed, match: {any: [{resources: {kinds: [Pod]}}]}, verifyImages: [{imageReferences: ["reg.io/*"], ${more} attestors: [{entries: [{keys: {publicKeys: "${key}"}}]}]}]}]`;
const source = () =>
  recordingImages({
    tags: {'reg.io/app:v1': digest, 'reg.io/evil:v1': `sha256:${'b'.repeat(64)}`},
    signed: {[digest]: ['AAAA']},
    down: ['down.io'],
    later: true,
  });

let harness: Harness | undefined;

afterEach(() => harness?.close());

async function start(more = '', spec = '{}'): Promise<Harness> {
  const {engine} = engineOf([policyOf('images', rules(more), {spec})], {
    loader: recordingLoader({imageSource: source()}),
  });
  harness = await startHarness({engine});
  return harness;
}

function pod(image: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: 'web', namespace: 'shop'},
    spec: {containers: [{name: 'c', image}]},
  };
}

describe('a Pod through both webhooks', () => {
  it('is pinned and recorded, then let in', async () => {
    const {review} = await start();
    const object = pod('reg.io/app:v1');
    const mutated = await review('/mutate/fail', podReview({object}));
    const patch = JSON.parse(Buffer.from(mutated.patch!, 'base64').toString()) as JsonPatchOperation[];
    const stored = applyJsonPatch(object, patch);
    expect(stored).toMatchObject({
      metadata: {annotations: {'kyverno.io/verify-images': `{"reg.io/app@${digest}":"pass"}`}},
      spec: {containers: [{image: `reg.io/app:v1@${digest}`}]},
    });
    expect(await review('/validate/fail', podReview({object: stored}))).toMatchObject({allowed: true});
  });

  it('is refused in the words of all refusals where nobody vouches for its image', async () => {
    const {review} = await start();
    const answer = await review('/mutate/fail', podReview({object: pod('reg.io/evil:v1')}));
    expect(answer.allowed).toBe(false);
    expect(answer.status?.message).toBe(
      "\n\nresource Pod/shop/web was blocked due to the following policies \n\nimages:\n  signed: 'failed to verify image reg.io/evil:v1: .attestors[0].entries[0].keys: no matching signatures'\n",
    );
  });

  it('that comes past mutation is refused when it is validated', async () => {
    const {review} = await start();
    const answer = await review('/validate/fail', podReview({object: pod(`reg.io/app:v1@${digest}`)}));
    expect(answer.status?.message).toContain(`signed: unverified image reg.io/app@${digest}`);
  });

  it('is let in with a warning where the rule only audits', async () => {
    const {review} = await start('failureAction: Audit, mutateDigest: false, verifyDigest: false,');
    const answer = await review('/mutate/fail', podReview({object: pod('reg.io/evil:v1')}));
    expect(answer).toMatchObject({
      allowed: true,
      warnings: [
        'policy images.signed: failed to verify image reg.io/evil:v1: .attestors[0].entries[0].keys: no matching signatures',
      ],
    });
    const patch = JSON.parse(Buffer.from(answer.patch!, 'base64').toString()) as JsonPatchOperation[];
    const validated = await review('/validate/fail', podReview({object: applyJsonPatch(pod('reg.io/evil:v1'), patch)}));
    expect(validated).toMatchObject({
      allowed: true,
      warnings: ['policy images.signed: unverified image reg.io/evil:v1'],
    });
  });

  it('is refused while no registry answers, and let in with a warning where failures are ignored', async () => {
    const body = podReview({object: pod('down.io/app:v1')});
    const {engine} = engineOf(
      [
        policyOf('images', rules('').replace('reg.io/*', '*')),
        policyOf('ignored', rules('').replace('reg.io/*', '*'), {
          spec: '{webhookConfiguration: {failurePolicy: Ignore}}',
        }),
      ],
      {loader: recordingLoader({imageSource: source()})},
    );
    harness = await startHarness({engine});
    expect((await harness.review('/mutate/fail', body)).status?.message).toContain(
      'dial tcp down.io: connection refused',
    );
    expect(await harness.review('/mutate/ignore', body)).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('policy ignored.signed: failed to verify image down.io/app:v1')],
    });
  });

  it('is refused with all that is wrong with its images', async () => {
    const {engine} = engineOf([policyOf('images', rules('').replace('reg.io/*', '*'))], {
      loader: recordingLoader({imageSource: source()}),
    });
    harness = await startHarness({engine});
    const containers = ['reg.io/evil:v1', 'down.io/app:v1'].map((image, index) => ({name: `c${index}`, image}));
    const object = {...pod('reg.io/evil:v1'), spec: {containers}};
    const message = (await harness.review('/mutate/fail', podReview({object}))).status?.message;
    expect(message).toContain('no matching signatures');
    expect(message).toContain('connection refused');
  });
});
