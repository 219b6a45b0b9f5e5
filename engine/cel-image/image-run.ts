import {CelError} from '../cel/errors.js';
import {ask} from '../cel/kyverno/ask.js';
import {withDoubles} from '../cel/kyverno/doubles.js';
import type {AttestorValue, ImageQuestions} from '../cel/kyverno/image-verify.js';
import type {Value} from '../cel/values/value.js';
import {isPromise} from '../context/suspend.js';
import type {RuleRun} from '../context/rule-run.js';
import {EvalError} from '../diagnostic.js';
import {
  type AttestationQuery,
  type ImageOptions,
  type ImageSource,
  ImageVerificationError,
  type RegistryAccess,
  type SignatureQuery,
  type VerifiedAttestations,
} from '../image/verification.js';
import type {Json, JsonObject} from '../json/types.js';
import type {ImageAttestation} from './model.js';
import {digestOf} from './reference-forms.js';
import {settleAll} from './settle-all.js';
import type {CompiledImages, ImageRecord} from './types.js';

/** What became of a question to a registry; plain data, as runs keep it. */
type Answer<T> = {readonly found: T} | {readonly reason: ImageVerificationError['reason']; readonly message: string};

interface Verified {
  readonly digest: string;
  /** Of attestations. */
  readonly statements?: readonly JsonObject[];
}

export interface ImageRunOptions {
  readonly images: CompiledImages;
  readonly host: RuleRun;
  readonly access: RegistryAccess;
  /** Digests that images of the request were found with, by any of its policies. */
  readonly digests: Map<string, string>;
  /** Whether the policy means an image. Throws CelError. */
  readonly means: (image: string) => boolean;
  /** Whether an exception lets it through. */
  readonly isExempt: (image: string) => boolean;
  /** All that the policy means, as written. */
  readonly meant: readonly string[];
}

/**
 * The images of one evaluation of one policy: what its functions ask, and what came of it. A new one for each attempt, so
 * that an attempt that had to wait leaves nothing behind.
 */
export class ImageRun implements ImageQuestions {
  readonly #options: ImageRunOptions;
  readonly #checked = new Set<string>();
  readonly #verified = new Set<string>();
  readonly #notes: string[] = [];
  /** By image and attestation. */
  readonly #payloads = new Map<string, JsonObject>();
  readonly #accessKey: string;
  #isUncached = false;

  constructor(options: ImageRunOptions) {
    this.#options = options;
    this.#accessKey = JSON.stringify(options.access);
  }

  get record(): ImageRecord {
    const {meant} = this.#options;
    return {meant, uncached: this.#isUncached, checked: this.#checked, verified: this.#verified, notes: this.#notes};
  }

  /** How many attestors signed; 0 for an image that the policy does not mean. Throws CelError, or Suspend to wait. */
  verifySignatures(image: string, attestors: readonly AttestorValue[]): number {
    return this.#count(image, attestors, (about, attestor) => this.#signatureQuestion(about, attestor)).length;
  }

  /** How many attestors signed an attestation of that name. Throws CelError, or Suspend to wait. */
  verifyAttestations(image: string, name: string, attestors: readonly AttestorValue[]): number {
    const attestation = this.#attestation(name);
    const wrong = attestors.find(({isNotary}) => isNotary !== (attestation.kind === 'referrer'));
    if (wrong?.isNotary === true) throw new CelError('notary verifier only supports oci 1.1 referrers as attestations');
    if (wrong !== undefined) throw new CelError('cosign verifier only supports intoto attestations');
    const found = this.#count(image, attestors, (about, attestor) => this.#attestationQuestion(about, attestation, attestor));
    const [statement] = found.flatMap(({statements = []}) => statements);
    if (statement !== undefined) this.#payloads.set(key(image, name), statement);
    return found.length;
  }

  /** The statement that was verified before; of a referrer also one that nobody has vouched for. */
  payload(image: string, name: string): Value {
    const attestation = this.#attestation(name);
    const known = this.#payloads.get(key(image, name));
    if (known !== undefined) return withDoubles(known) as Value;
    if (attestation.kind === 'intoto') {
      throw new CelError('failed to get payload: intoto attestation payload cannot be fetch before verifying intoto attestation');
    }
    const [answer] = settleAll(this.#options.host, [this.#attestationQuestion(image, attestation, undefined)]);
    const found = this.#foundOr(image, 'no attestor', answer!);
    const [statement] = found?.statements ?? [];
    if (statement === undefined) throw new CelError(`failed to get payload: artifact of type ${attestation.type} not found`);
    return withDoubles(statement) as Value;
  }

  /** Descriptor of an image, asked for with the policy's credentials. */
  imageData(image: string, failure: string): Value {
    const {host, access} = this.#options;
    const data = ask<Json>(host, {
      failure,
      key: ['image', image, this.#accessKey, 'data'],
      load: options => {
        const {images} = host.loader;
        // Offline runs may have been given what registries would say.
        const found = images === undefined ? host.loader.imageData(image, options) : images.imageData(image, access, optionsOf(options, host));
        return isPromise(found) ? found.then(withDoubles) : withDoubles(found);
      },
    });
    return data as Value;
  }

  #count(image: string, attestors: readonly AttestorValue[], question: (image: string, attestor: AttestorValue) => Question): Verified[] {
    const {host, means, isExempt, meant} = this.#options;
    if (isExempt(image)) return attestors.map(() => ({digest: ''}));
    if (attestors.length === 0 || !means(image)) return [];
    // Expressions go from image to image: what the next ones will ask is asked at once.
    const others = meant.filter(other => other !== image && !isExempt(other));
    const answers = settleAll(
      host,
      attestors.map(attestor => question(image, attestor)),
      () => others.flatMap(other => attestors.map(attestor => question(other, attestor))),
    );
    this.#checked.add(image);
    const found: Verified[] = [];
    let unreachable: CelError | undefined;
    answers.forEach((answer, index) => {
      try {
        const one = this.#foundOr(image, attestors[index]!.name, answer);
        if (one !== undefined) found.push(one);
      } catch (thrown) {
        if (!(thrown instanceof CelError)) throw thrown;
        unreachable ??= thrown;
      }
    });
    // "No" must not be said for one who could not be asked.
    if (found.length === 0 && unreachable !== undefined) throw unreachable;
    for (const {digest} of found) this.#sameDigest(image, digest);
    if (found.length > 0) this.#verified.add(image);
    return found;
  }

  #foundOr(image: string, attestor: string, answer: Answer<Verified>): Verified | undefined {
    if ('found' in answer) return answer.found;
    const note = `image ${image}: attestor ${attestor}: ${answer.message}`;
    this.#notes.push(note);
    if (answer.reason === 'unverified') return undefined;
    this.#isUncached ||= answer.reason === 'uncached';
    throw new CelError(note);
  }

  /** What was signed is what is named, and what every other look at the image in this request found. */
  #sameDigest(image: string, digest: string): void {
    const {digests} = this.#options;
    const named = digestOf(image);
    if (named !== '' && named !== digest) {
      throw new CelError(`image ${image}: what was verified has the digest ${digest}`);
    }
    const before = digests.get(image);
    if (before !== undefined && before !== digest) {
      throw new CelError(`image ${image}: the tag moved from ${before} to ${digest} while it was verified`);
    }
    digests.set(image, digest);
  }

  #attestation(name: string): ImageAttestation {
    const found = this.#options.images.attestations.get(name);
    if (found === undefined) throw new CelError(`attestation not found in policy: ${name}`);
    return found;
  }

  #signatureQuestion(image: string, by: AttestorValue): Question {
    const query: SignatureQuery = {
      image,
      access: this.#options.access,
      format: by.isNotary ? 'notary' : 'auto',
      ociReferrers: false,
      attestor: by.attestor,
    };
    return this.#question(['signature', by.identity], query, (source, options) => source.verifySignature(query, options));
  }

  #attestationQuestion(image: string, {kind, type}: ImageAttestation, by: AttestorValue | undefined): Question {
    const query: AttestationQuery = {
      image,
      access: this.#options.access,
      format: kind === 'referrer' ? 'notary' : 'auto',
      ociReferrers: false,
      attestor: by?.attestor,
      type,
      kind,
    };
    return this.#question(['attestation', kind, type, by?.identity ?? ''], query, (source, options) => {
      const found = source.verifyAttestations(query, options);
      if (by === undefined) return found;
      return isPromise(found) ? found.then(some => present(some, type)) : present(found, type);
    });
  }

  #question(
    what: readonly string[],
    query: SignatureQuery | AttestationQuery,
    put: (source: ImageSource, options: ImageOptions) => Promise<Verified> | Verified,
  ): Question {
    const {host} = this.#options;
    return {
      key: JSON.stringify(['image', query.image, this.#accessKey, ...what]),
      load: options => {
        const source = host.loader.images;
        if (source === undefined) throw new EvalError(`image ${query.image} cannot be verified: no registry is asked here`);
        return settled(() => put(source, optionsOf(options, host)));
      },
    };
  }
}

/** None of the type is nothing that somebody could have vouched for. */
function present(found: VerifiedAttestations, type: string): VerifiedAttestations {
  if (found.statements.length > 0) return found;
  const others = found.otherTypes.join(' ');
  throw new ImageVerificationError(`required predicate type ${type} not found, found [${others}]`, 'unverified');
}

export interface Question {
  readonly key: string;
  readonly load: (options: {readonly deadline: number}) => Answer<Verified> | Promise<Answer<Verified>>;
}

function optionsOf({deadline}: {readonly deadline: number}, {cachedImagesOnly}: RuleRun): ImageOptions {
  return {deadline, useCache: true, ...(cachedImagesOnly && {cacheOnly: true})};
}

function settled(put: () => Promise<Verified> | Verified): Answer<Verified> | Promise<Answer<Verified>> {
  try {
    const found = put();
    return isPromise(found) ? found.then(answered, refused) : answered(found);
  } catch (thrown) {
    return refused(thrown);
  }
}

function answered({digest, statements}: Verified): Answer<Verified> {
  return {found: {digest, ...(statements !== undefined && {statements})}};
}

function refused(thrown: unknown): Answer<Verified> {
  if (thrown instanceof ImageVerificationError) return {reason: thrown.reason, message: thrown.message};
  throw thrown;
}

function key(image: string, attestation: string): string {
  return `${image}\n${attestation}`;
}
