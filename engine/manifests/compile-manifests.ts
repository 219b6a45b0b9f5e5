import type {Check, Outcome} from '../compile/types.js';
import type {RuleScope} from '../context/rule-scope.js';
import {EvalError} from '../diagnostic.js';
import type {KeyServiceLack} from '../image/key-services.js';
import {type JsonObject, own, ownPath} from '../json/types.js';
import {objects, text} from '../policy/access.js';
import type {RegexEngine} from '../regex/types.js';
import {checkExpressions} from '../verify-images/check-expressions.js';
import {compileLate} from '../verify-images/compile-late.js';
import {readAttestorSets} from '../verify-images/read-attestors.js';
import {type SetAnswer, verifySet} from '../verify-images/verify-attestors.js';
import {isApiDefault} from './api-defaults.js';
import {refusalOf} from './blob-signature.js';
import {differences} from './differences.js';
import {compileIgnoredFields, type IgnoredFields} from './ignored-fields.js';
import {readSignedMessage, type SignedMessage} from './signed-message.js';

export interface ManifestsOptions {
  /** `spec.rules[0].validate.manifests`. */
  readonly path: string;
  readonly keyServiceLack: KeyServiceLack;
  readonly regex: RegexEngine | undefined;
}

const defaultDomain = 'cosign.sigstore.dev';
const mostShown = 5;

/**
 * `validate.manifests`: the object is what somebody has signed, and every set of attestors vouches for it. Says nothing on
 * DELETE; dry runs pass, as nothing comes of them.
 */
export function compileManifests(raw: JsonObject, {path, keyServiceLack, regex}: ManifestsOptions): Check {
  const domain = text(raw, 'annotationDomain') || defaultDomain;
  const ignored = compileIgnoredFields(objects(raw, 'ignoreFields'), domain);
  const attestors = own(raw, 'attestors');
  const repository = own(raw, 'repository');
  const signers = {...(attestors !== undefined && {attestors}), ...(repository !== undefined && {repository})};
  const setsOf = compileLate(signers, path, part => {
    const defaults = {notary: false, repository: text(part, 'repository') || undefined, keyServiceLack};
    const sets = readAttestorSets(objects(part, 'attestors'), '.attestors', defaults);
    for (const set of sets) checkExpressions(set, regex);
    return sets;
  });
  return (_subject, scope) => {
    const {request, resource} = scope.context;
    if (request.operation === 'DELETE' || request.object === undefined) return undefined;
    if (request.dryRun) return {status: 'pass', message: 'signatures are not looked at in dry runs'};
    const sets = setsOf(scope);
    let message: SignedMessage;
    try {
      message = readSignedMessage(resource, domain);
      checkMatches(message, resource, ignored, scope);
    } catch (error) {
      if (!(error instanceof EvalError) || error.code === 'budget') throw error;
      return failed({verified: 0, required: sets[0]?.required ?? 1}, error.message);
    }
    for (const set of sets) {
      const answer = verifySet(set, attestor => signedBy(message, attestor, scope));
      if ('value' in answer) continue;
      const counts = {verified: answer.verified, required: set.required};
      return answer.refusal.reason === 'unverified'
        ? failed(counts, answer.refusal.message)
        : {status: 'error', message: textOf(counts, answer.refusal.message)};
    }
    return {status: 'pass', message: 'the object is as it was signed'};
  };
}

type Ask = Parameters<typeof verifySet<true>>[1];

/** One signature that the attestor has made is enough. */
function signedBy(message: SignedMessage, attestor: Parameters<Ask>[0], scope: RuleScope): ReturnType<Ask> {
  let refusal = {reason: 'unverified' as const, message: 'the object carries no signature'} as Extract<
    SetAnswer<true>,
    {refusal: unknown}
  >['refusal'];
  for (const {signature, certificate, bundle} of message.signatures) {
    const refused = refusalOf({payload: message.payload, signature, certificate, bundle, attestor}, scope.env);
    if (refused === undefined) return {value: true};
    if (refused.reason !== 'unverified' || refusal.reason === 'unverified') refusal = refused;
  }
  return {refusal};
}

/** One of the signed objects has to be this one. Throws `EvalError` with what differs. */
function checkMatches(
  {manifests}: SignedMessage,
  resource: JsonObject,
  ignored: IgnoredFields,
  scope: RuleScope,
): void {
  const same = manifests.filter(manifest => isSameObject(manifest, resource));
  if (same.length === 0) throw new EvalError('the signed message holds no object of this kind and name');
  const isIgnored = ignored(resource);
  const isDefault = isApiDefault(scope.context.kind, resource);
  let shown: string | undefined;
  for (const manifest of same) {
    const found = differences(manifest, resource, scope.env.budget).filter(
      difference =>
        !isIgnored(difference.path) &&
        !isDefault(difference) &&
        !(difference.path === 'metadata.namespace' && difference.signed === undefined),
    );
    if (found.length === 0) return;
    shown ??=
      found
        .slice(0, mostShown)
        .map(({path}) => path)
        .join(', ') + (found.length > mostShown ? ` and ${found.length - mostShown} more` : '');
  }
  throw new EvalError(`the object differs from what was signed: ${shown ?? ''}`);
}

function isSameObject(manifest: JsonObject, resource: JsonObject): boolean {
  return (
    own(manifest, 'apiVersion') === own(resource, 'apiVersion') &&
    own(manifest, 'kind') === own(resource, 'kind') &&
    ownPath(manifest, 'metadata', 'name') === ownPath(resource, 'metadata', 'name')
  );
}

interface Counts {
  readonly verified: number;
  readonly required: number;
}

function failed(counts: Counts, message: string): Outcome {
  return {status: 'fail', message: textOf(counts, message)};
}

function textOf({verified, required}: Counts, message: string): string {
  return `manifest verification failed; verifiedCount ${verified}; requiredCount ${required}; message ${message}`;
}
