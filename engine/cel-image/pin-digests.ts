import {mapPods} from '../cel-policies/run/pod-templates.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {PolicyScope} from '../cel-policies/run/scope.js';
import {isPromise} from '../context/suspend.js';
import type {RuleRun} from '../context/rule-run.js';
import {textOfThrown} from '../context/thrown-text.js';
import type {ImageOptions, RegistryAccess} from '../image/verification.js';
import {isObject, type JsonObject, own, ownPath} from '../json/types.js';
import {type ImageBehaviour, type ImageMode, type Selection, selectImages} from './evaluate-images.js';
import {podSpecPath, replaceImages} from './extract-images.js';
import {digestOf} from './reference-forms.js';
import {isMeant} from './select-images.js';
import {settleAll} from './settle-all.js';

/** Tells how images were verified; only ever written by the operator, so what a user wrote is taken away. */
export const outcomesAnnotation = 'kyverno.io/image-verification-outcomes';

export interface PinAnswer {
  /** Of an image whose digest is not to be had; the others are named by theirs all the same. */
  readonly verdict: CelVerdict | undefined;
  readonly object: JsonObject;
}

/** The object with images that the policy means named by their digests. Throws EvalError, or Suspend to wait. */
export function pinDigests(behaviour: ImageBehaviour, mode: ImageMode, scope: PolicyScope, object: JsonObject): PinAnswer {
  const cleaned = withoutOutcomes(object);
  if (!mode.extracts) {
    const path = podSpecPath(scope.request.resource);
    if (path === undefined) return {verdict: undefined, object: cleaned};
    return pinned(behaviour, mode, {scope, object: cleaned, path});
  }
  let verdict: CelVerdict | undefined;
  const changed = mapPods(cleaned, scope.host.budget, ({pod}) => {
    const answer = pinned(behaviour, mode, {scope: scope.withObject(pod), object: pod, path: ['spec']});
    verdict ??= answer.verdict;
    return answer.object;
  });
  return {verdict, object: changed};
}

interface Pod {
  readonly scope: PolicyScope;
  readonly object: JsonObject;
  readonly path: readonly string[];
}

function pinned(behaviour: ImageBehaviour, mode: ImageMode, {scope, object, path}: Pod): PinAnswer {
  const selected = selectImages(behaviour, mode, {scope, object, path});
  if (!('selection' in selected)) return {verdict: undefined, object};
  const {selection} = selected;
  const wanted = new Set<string>();
  replaceImages(object, path, image => {
    if (digestOf(image) === '' && !selection.isExempt(image) && isMeant(behaviour.images, image, scope.host)) wanted.add(image);
    return image;
  });
  const {digests, failure} = resolved([...wanted], selection, scope.host);
  const changed = replaceImages(object, path, image => {
    const digest = digests.get(image);
    return digest === undefined ? image : `${image}@${digest}`;
  });
  const verdict: CelVerdict | undefined =
    failure === undefined ? undefined : {rule: 'mutateDigest', status: 'error', message: `failed to update digest: ${failure}`};
  return {verdict, object: changed};
}

function resolved(images: readonly string[], {access}: Selection, host: RuleRun) {
  const accessKey = JSON.stringify(access);
  const answers = settleAll(
    host,
    images.map(image => ({
      key: JSON.stringify(['image', image, accessKey, 'digest']),
      load: ({deadline}: {readonly deadline: number}) => digestFor(image, access, host, {deadline, useCache: true}),
    })),
  );
  const digests = new Map<string, string>();
  let failure: string | undefined;
  answers.forEach((answer, index) => {
    const image = images[index]!;
    if (answer.digest !== undefined) digests.set(image, answer.digest);
    else failure ??= `failed to resolve digest for image ${image}: ${answer.message}`;
  });
  return {digests, failure};
}

type Digest = {readonly digest: string} | {readonly digest?: undefined; readonly message: string};

function digestFor(image: string, access: RegistryAccess, {loader}: RuleRun, options: ImageOptions): Digest | Promise<Digest> {
  if (loader.images === undefined) return {message: 'no registry is asked here'};
  // Whatever went wrong, the image has no digest.
  const failed = (thrown: unknown): Digest => ({message: textOfThrown(thrown)});
  const given = (digest: string): Digest =>
    /^[a-z0-9]+:[0-9a-f]{32,}$/.test(digest) ? {digest} : {message: 'the registry gave no digest'};
  try {
    const found = loader.images.resolveDigest(image, access, options);
    return isPromise(found) ? found.then(given, failed) : given(found);
  } catch (thrown) {
    return failed(thrown);
  }
}

function withoutOutcomes(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  const annotations = ownPath(metadata, 'annotations');
  if (!isObject(metadata) || !isObject(annotations) || !Object.hasOwn(annotations, outcomesAnnotation)) return object;
  const {[outcomesAnnotation]: _, ...kept} = annotations;
  return {...object, metadata: {...metadata, annotations: kept}};
}
