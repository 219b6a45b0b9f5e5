import type {Check, Outcome} from '../compile/types.js';
import type {RuleScope} from '../context/rule-scope.js';
import type {ClassicPolicy} from '../policy/model.js';
import {together} from './ask-source.js';
import type {CompiledImageEntry, CompiledImages} from './compile-images.js';
import type {CurrentImage} from './current-image.js';
import {ImageRecord, type ImageStatuses, recordKey} from './record.js';
import {trustedStatuses} from './trusted-record.js';
import {summarise} from './summary.js';
import {digestVerdict, imagesOf, readable, type VerifyCall, verifyImages} from './verify-images.js';

export interface ImageChecksOptions {
  readonly policy: ClassicPolicy;
  readonly rule: string;
}

const nothingBefore = {texts: new Set<string>(), statuses: new Map() as ImageStatuses};

/**
 * The validating phase: images have digests and were verified when the object was mutated, which its record tells. Says
 * nothing on DELETE.
 */
export function imageCheck(images: CompiledImages, {policy, rule}: ImageChecksOptions): Check {
  return (_subject, scope) => {
    if (scope.deleting || scope.context.request.object === undefined) return undefined;
    const found = imagesOf(images, scope).map(readable);
    const pairs = found.flatMap(image =>
      images.entries.filter(entry => entry.matches(image.parts)).map(entry => ({image, entry})),
    );
    if (pairs.length === 0) return undefined;
    const statuses = ImageRecord.of(scope.context.resource).statuses(recordKey(policy.ref), rule);
    const answers = together(
      pairs.map(
        ({image, entry}) =>
          () =>
            checkImage(image, entry, {images, scope, statuses, policy, rule}),
      ),
    );
    const failed = answers.find(answer => answer.status === 'fail' || answer.status === 'error');
    if (failed !== undefined) return failed;
    const skipped = pairs.filter((_pair, index) => answers[index]?.status === 'skip').map(({image}) => image.name);
    if (skipped.length === 0) return {status: 'pass', message: 'image verified'};
    const names = skipped.join(' ');
    return skipped.length < pairs.length
      ? {status: 'pass', message: `image verified, skipped images: ${names}`}
      : {status: 'skip', message: `image skipped, skipped images: ${names}`};
  };
}

interface ImageCheckCall extends ImageChecksOptions {
  readonly images: CompiledImages;
  readonly scope: RuleScope;
  readonly statuses: ImageStatuses;
}

function checkImage(image: CurrentImage, entry: CompiledImageEntry, call: ImageCheckCall): Outcome {
  const {scope, statuses} = call;
  if (entry.skips(image.parts)) return {status: 'skip', message: ''};
  const recorded = statuses.get(image.name);
  const digest = entry.verifyDigest ? digestVerdict(image) : undefined;
  if (digest?.status === 'fail') return digest;
  if (!entry.required) return {status: 'pass', message: ''};
  if (recorded === 'pass' || recorded === 'skip') return {status: recorded, message: ''};
  // The API server takes no annotation of a Pod together with its ephemeral containers: their images are asked for anew.
  const isUnrecorded = recorded === undefined && entry.isProven && scope.context.subresource === 'ephemeralcontainers';
  if (!isUnrecorded) return {status: 'fail', message: `unverified image ${image.name}`};
  const outcome = summarise(
    verifyImages({
      ...call,
      images: {...call.images, entries: [entry]},
      policy: call.policy.ref.name,
      before: nothingBefore,
      mutates: false,
    }).filter(found => found.image.pointer === image.pointer),
  ).at(-1);
  return outcome ?? {status: 'fail', message: `unverified image ${image.name}`};
}

/**
 * Of scans: the images of an object that is there already are proven anew, whatever its annotations say. Where nothing may
 * be fetched, its record stands for the proof that was made when it was admitted.
 */
export function imageScan(images: CompiledImages, {policy, rule}: ImageChecksOptions): Check {
  return (_subject, scope) => {
    if (scope.context.request.object === undefined) return undefined;
    const outcome = summarise(
      verifyImages({
        images,
        scope,
        policy: policy.ref.name,
        rule,
        before: recordedBefore(scope, images, {policy, rule}),
        mutates: false,
      }),
    ).at(-1);
    return outcome && {status: outcome.status, message: outcome.message};
  };
}

function recordedBefore(
  scope: RuleScope,
  images: CompiledImages,
  {policy, rule}: ImageChecksOptions,
): VerifyCall['before'] {
  if (!scope.env.cachedImagesOnly) return nothingBefore;
  const statuses = trustedStatuses(scope.context.resource, policy, rule);
  return {texts: new Set(imagesOf(images, scope).map(({text}) => text)), statuses};
}
