import {evaluateBlock} from '../compile/condition-block.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import {imageJson} from '../image/extract-images.js';
import type {AttestationQuery, RegistryAccess, VerifiedAttestations} from '../image/verification.js';
import {stringifyJson} from '../json/stringify.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import {type Answer, askRegistry, type Refusal, type Registry} from './ask-source.js';
import type {CompiledImageEntry, Deny} from './compile-images.js';
import {type CurrentImage, pinned} from './current-image.js';
import type {Attestation, AttestorSet, ImageEntry} from './model.js';
import {verifySet} from './verify-attestors.js';

/** What one entry says of one image; without `status` it only vouches for nothing. */
export interface EntryVerdict {
  readonly status: 'pass' | 'fail' | 'error' | 'skip';
  readonly message: string;
  /** What the image's tag stands for, where somebody vouched for it. */
  readonly digest?: string | undefined;
}

interface Proof {
  readonly entry: ImageEntry;
  readonly compiled: CompiledImageEntry;
  readonly scope: RuleScope;
  readonly access: RegistryAccess;
  readonly registry: Registry;
  readonly image: CurrentImage;
}

/**
 * Whether those whom an entry names vouch for the image: signatures, then attestations, then the denial over what they
 * say. All must speak of one digest: once it is known, nothing is asked by tag. May suspend.
 */
export function proveImage(
  compiled: CompiledImageEntry,
  image: CurrentImage,
  {scope, pullSecrets}: {readonly scope: RuleScope; readonly pullSecrets: RegistryAccess['secrets']},
): EntryVerdict {
  const entry = compiled.resolve(scope);
  const access = {...entry.access, secrets: [...entry.access.secrets, ...pullSecrets]};
  const proof: Proof = {entry, compiled, scope, access, image, registry: askRegistry(scope.env, entry)};
  const signed = verifySignatures(proof);
  if (isVerdict(signed)) return signed;
  if (entry.attestations.length === 0 && compiled.deny === undefined) {
    return {status: 'pass', message: `verified image signatures for ${image.name}`, ...signed};
  }
  return verifyAttestations(proof, signed.digest);
}

type Digest = {readonly digest: string | undefined};

function verifySignatures(proof: Proof): Digest | EntryVerdict {
  const {entry, access, registry, image} = proof;
  let digest = image.parts.digest || undefined;
  for (const set of entry.attestors) {
    const answer = verifySet(set, attestor =>
      sameDigest(
        digest,
        registry.signature({
          image: pinned(image, digest),
          access,
          format: entry.format,
          ociReferrers: entry.ociReferrers,
          attestor,
        }),
      ),
    );
    if ('refusal' in answer) return refused(image, answer.refusal);
    digest = answer.value.digest;
  }
  return {digest};
}

/** An answer about another digest is none about this image. */
function sameDigest<T extends {readonly digest: string}>(wanted: string | undefined, answer: Answer<T>): Answer<T> {
  if ('refusal' in answer || wanted === undefined || answer.value.digest === wanted) return answer;
  return {refusal: {reason: 'unverified', message: `digest ${answer.value.digest} was verified instead of ${wanted}`}};
}

function verifyAttestations(proof: Proof, first: string | undefined): EntryVerdict {
  const {entry, compiled, scope, image} = proof;
  const names: Record<string, Json> = {image: imageJson(image.parts, image.pointer)};
  let digest = first;
  for (const [index, attestation] of entry.attestations.entries()) {
    const sets: ReadonlyArray<AttestorSet | undefined> =
      attestation.attestors.length > 0 ? attestation.attestors : [undefined];
    for (const set of sets) {
      const known = digest;
      const found = fetchStatements(proof, {attestation, set, digest: known, index, names});
      if (isVerdict(found)) return found;
      digest = found.digest;
      const [statement] = found.statements;
      if (attestation.name !== '' && statement !== undefined)
        setOwn(names, attestation.name, predicateOf(statement, entry) ?? null);
    }
  }
  const denied =
    compiled.deny === undefined ? undefined : denialOf(compiled.deny, scope.child([], names), scopeRule(proof));
  if (denied !== undefined) return {status: 'fail', message: denied};
  const message =
    entry.attestations.length > 0
      ? `verified image attestations for ${image.name}`
      : `verified image signatures for ${image.name}`;
  return {status: 'pass', message, ...(digest !== undefined && {digest})};
}

interface StatementsCall {
  readonly attestation: Attestation;
  /** `undefined`: whoever made them. */
  readonly set: AttestorSet | undefined;
  readonly digest: string | undefined;
  readonly index: number;
  readonly names: Readonly<Record<string, Json>>;
}

function fetchStatements(proof: Proof, call: StatementsCall): VerifiedAttestations | EntryVerdict {
  const {entry, access, registry, image} = proof;
  const {attestation, set, digest, index} = call;
  const base: Omit<AttestationQuery, 'attestor'> = {
    image: pinned(image, digest),
    access,
    format: entry.format,
    ociReferrers: entry.ociReferrers,
    type: attestation.type,
    kind: entry.format === 'notary' ? 'referrer' : 'intoto',
  };
  const path = `.attestations[${index}]`;
  const judged = (answer: Answer<VerifiedAttestations>): Answer<VerifiedAttestations> => {
    const same = sameDigest(digest, answer);
    const complaint = 'refusal' in same ? undefined : complaintAbout(proof, same.value, call);
    return complaint === undefined ? same : {refusal: {reason: 'unverified', message: complaint}};
  };
  if (set === undefined) {
    const answer = judged(registry.attestations({...base, attestor: undefined}));
    return 'value' in answer
      ? answer.value
      : refused(image, {...answer.refusal, message: `${path}: ${answer.refusal.message}`});
  }
  const answer = verifySet(set, attestor => judged(registry.attestations({...base, attestor})));
  if ('value' in answer) return answer.value;
  const {refusal, verified} = answer;
  if (refusal.reason !== 'unverified') return refused(image, refusal);
  return {
    status: 'fail',
    message: `image attestations verification failed, verifiedCount: ${verified}, requiredCount: ${set.required}, error: ${refusal.message}`,
  };
}

/** What is wrong with the statements; `undefined` when all are as the conditions want them. */
function complaintAbout(
  {compiled, entry, scope, image}: Proof,
  found: VerifiedAttestations,
  {attestation, index, names}: StatementsCall,
): string | undefined {
  if (found.statements.length === 0) return `attestations not found for predicate type ${attestation.type}`;
  const blocks = compiled.conditions[index] ?? [];
  if (blocks.length === 0) return undefined;
  for (const statement of found.statements) {
    const predicate = predicateOf(statement, entry);
    if (!isObject(predicate)) return 'failed to extract predicate from statement';
    const inner = scope.child([], {...names, ...withoutReserved(predicate)});
    for (const block of blocks) {
      let verdict: {readonly result: boolean; readonly message: string};
      try {
        verdict = evaluateBlock(block, inner);
      } catch (error) {
        if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
        return `failed to check attestations: ${error.message}`;
      }
      if (!verdict.result)
        return `attestation checks failed for ${image.name} and predicate ${attestation.type}: ${verdict.message}`;
    }
  }
  return undefined;
}

/** Artifacts among the referrers are what they are; statements wrap a predicate. */
function predicateOf(statement: JsonObject, {format}: ImageEntry): Json | undefined {
  return format === 'notary' ? (own(statement, 'predicate') ?? statement) : own(statement, 'predicate');
}

/** What is known of the request stays what it is, whatever a statement calls its fields. */
const reserved: ReadonlySet<string> = new Set(['request', 'images', 'serviceAccountName', 'serviceAccountNamespace']);

function withoutReserved(predicate: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(predicate)) if (!reserved.has(key)) setOwn(out, key, value);
  return out;
}

function denialOf(deny: Deny, scope: RuleScope, fallback: string): string | undefined {
  let verdict: {readonly result: boolean; readonly message: string};
  try {
    verdict = evaluateBlock(deny.conditions, scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    throw new EvalError(`failed to check deny conditions: ${error.message}`, error.code);
  }
  if (!verdict.result) return undefined;
  const parts = [messageOf(deny, scope), verdict.message].filter(part => part !== undefined && part !== '');
  return parts.length > 0 ? parts.join('; ') : fallback;
}

/** A message never changes a verdict. */
function messageOf({message}: Deny, scope: RuleScope): string | undefined {
  if (message === undefined) return undefined;
  try {
    const value = message.evaluate(scope);
    return typeof value === 'string' ? value : stringifyJson(value);
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    return undefined;
  }
}

function scopeRule({image}: Proof): string {
  return `image ${image.name} is denied by what its attestations say`;
}

function refused(image: CurrentImage, {reason, message}: Refusal): EntryVerdict {
  const status = reason === 'unverified' ? 'fail' : reason === 'unreachable' ? 'error' : 'skip';
  return {status, message: `failed to verify image ${image.name}: ${message}`};
}

function isVerdict(value: object): value is EntryVerdict {
  return 'status' in value;
}
