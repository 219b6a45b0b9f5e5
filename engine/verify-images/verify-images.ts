import {templatePath} from '../autogen/controllers.js';
import type {RequestContext} from '../context/request-context.js';
import type {RuleRun} from '../context/rule-run.js';
import type {RuleScope} from '../context/rule-scope.js';
import {EvalError} from '../diagnostic.js';
import {type FoundImage, imagesJson} from '../image/extract-images.js';
import {findImages} from '../image/image-extractors.js';
import type {SecretReference} from '../image/verification.js';
import {isObject, type JsonObject, own, ownPath} from '../json/types.js';
import {askRegistry, together} from './ask-source.js';
import type {CompiledImageEntry, CompiledImages} from './compile-images.js';
import {type CurrentImage, currentImage, withDigest} from './current-image.js';
import {type ImageStatus, type ImageStatuses, worseOf} from './record.js';
import {type EntryVerdict, proveImage} from './verify-image.js';

/** An image that an entry of the rule is about, and what came of it. */
export interface ImageOutcome {
  readonly found: CurrentImage;
  /** With another text where a digest was put behind the tag. */
  readonly image: CurrentImage;
  readonly verdicts: readonly Verdict[];
  /** `undefined`: nothing to write down, as nobody had to vouch for it. */
  readonly status: ImageStatus | undefined;
}

export interface Verdict extends EntryVerdict {
  /** To be told although the request goes on. */
  readonly warns?: true;
}

export interface VerifyCall {
  readonly images: CompiledImages;
  readonly scope: RuleScope;
  readonly policy: string;
  readonly rule: string;
  /** Of the object as it was: images that stood there and have passed need no new proof. */
  readonly before: {readonly texts: ReadonlySet<string>; readonly statuses: ImageStatuses};
  /** Scans change nothing: a tag is judged as it stands. */
  readonly mutates: boolean;
}

/** Where a rule looks for images. */
export interface ImagesPlace {
  readonly context: RequestContext;
  readonly env: RuleRun;
}

/** All images of the object, as the rule finds them. Throws `EvalError` where they do not stand as it says. */
export function imagesOf(
  images: Pick<CompiledImages, 'extractors'>,
  {context, env}: ImagesPlace,
): readonly FoundImage[] {
  return findImages({kind: context.kind, resource: context.resource, extractors: images.extractors}, env);
}

/** `{{ images }}` of a rule that says itself where images stand. */
export function imageVariables(images: CompiledImages, place: ImagesPlace): {readonly images: JsonObject} | undefined {
  return images.extractors.has(place.context.kind) ? {images: imagesJson(imagesOf(images, place))} : undefined;
}

/** Every image that some entry is about; several are asked for at once. May suspend. */
export function verifyImages(call: VerifyCall): ImageOutcome[] {
  const found = imagesOf(call.images, call.scope).map(image => ({found: image, image: readable(image)}));
  const concerned = found.filter(({image}) => call.images.entries.some(entry => entry.matches(image.parts)));
  const pullSecrets = pullSecretsOf(call.scope);
  return together(
    concerned.map(
      ({image}) =>
        () =>
          verifyOne(image, call, pullSecrets),
    ),
  );
}

/** A text that is no reference might be one to somebody else. */
export function readable(found: FoundImage): CurrentImage {
  if (found.image === undefined)
    throw new EvalError(
      `bad image: ${JSON.stringify(found.text.slice(0, 200))} at ${found.pointer} is no image reference`,
    );
  return currentImage(found, found.image);
}

function verifyOne(image: CurrentImage, call: VerifyCall, pullSecrets: readonly SecretReference[]): ImageOutcome {
  const known = call.before.texts.has(image.text) ? call.before.statuses.get(image.name) : undefined;
  if (known === 'pass' || known === 'skip') {
    const verdict: Verdict = {status: known, message: `image ${image.name} has not changed since it was verified`};
    return {found: image, image, verdicts: [verdict], status: known};
  }
  let current = image;
  let status: ImageStatus | undefined;
  const verdicts: Verdict[] = [];
  for (const entry of call.images.entries) {
    if (!entry.matches(current.parts)) continue;
    const verdict = verifyBy(entry, current, call, pullSecrets);
    if (verdict === undefined) continue;
    verdicts.push(verdict);
    if (verdict.digest !== undefined) current = withDigest(current, verdict.digest);
    if (entry.isProven || verdict.status === 'skip')
      status = worseOf(status, verdict.status === 'error' ? 'fail' : verdict.status);
  }
  return {found: image, image: current, verdicts, status};
}

/** `undefined`: the entry only asks for a digest, and there is one. `digest` is set where it is to be put in. */
function verifyBy(
  entry: CompiledImageEntry,
  image: CurrentImage,
  call: VerifyCall,
  pullSecrets: readonly SecretReference[],
): Verdict | undefined {
  const {scope, mutates} = call;
  if (entry.skips(image.parts)) {
    const message = `skipping image reference image ${image.name}, policy ${call.policy} ruleName ${call.rule}`;
    return {status: 'skip', message, warns: true};
  }
  const pins = mutates && entry.mutateDigest && image.parts.digest === '';
  if (entry.isProven) {
    const {digest, ...proven} = proveImage(entry, image, {scope, pullSecrets});
    if (proven.status !== 'pass' || !pins) return proven;
    return digest === undefined
      ? withResolved(entry, image, {scope, pullSecrets, passed: proven})
      : {...proven, digest};
  }
  if (pins)
    return withResolved(entry, image, {scope, pullSecrets, passed: {status: 'pass', message: 'mutated image digest'}});
  if (mutates || !entry.verifyDigest) return undefined;
  return digestVerdict(image);
}

/** What a rule says of an image that has to have a digest. */
export function digestVerdict({name, parts}: CurrentImage): EntryVerdict {
  return parts.digest === ''
    ? {status: 'fail', message: `missing digest for ${name}`}
    : {status: 'pass', message: 'image verified'};
}

function withResolved(
  entry: CompiledImageEntry,
  image: CurrentImage,
  {
    scope,
    pullSecrets,
    passed,
  }: {readonly scope: RuleScope; readonly pullSecrets: readonly SecretReference[]; readonly passed: EntryVerdict},
): EntryVerdict {
  const resolved = entry.resolve(scope);
  const access = {...resolved.access, secrets: [...resolved.access.secrets, ...pullSecrets]};
  const answer = askRegistry(scope.env, resolved).digest(image.name, access);
  if ('value' in answer) return {...passed, digest: answer.value};
  return {status: 'error', message: `failed to update digest: ${answer.refusal.message}`};
}

/** Pull secrets of the Pod, or of the template. */
function pullSecretsOf(scope: RuleScope): SecretReference[] {
  const {kind, resource, request} = scope.context;
  const path = templatePath(kind);
  const listed = path === undefined ? undefined : ownPath(resource, ...path, 'spec', 'imagePullSecrets');
  if (!Array.isArray(listed)) return [];
  return listed.flatMap(secret => {
    const name = isObject(secret) ? own(secret, 'name') : undefined;
    return typeof name === 'string' && name !== '' ? [{namespace: request.namespace, name}] : [];
  });
}
