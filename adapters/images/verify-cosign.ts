import type {AttestationQuery, Attestor, BlobQuery, SecretReference, SignatureQuery} from '../../engine/image/verification.js';
import {ImageVerificationError} from '../../engine/image/verification.js';
import {isObject, type JsonObject, own} from '../../engine/json/types.js';
import {textOf} from '../../engine/json/text.js';
import type {VerifierParts} from './create-verifier.js';
import type {VerificationParts} from './image-source.js';
import {readRepository} from './image-name.js';
import {unverified} from './notary/refuse.js';
import {RegistryError} from './registry/registry-error.js';
import type {Session} from './registry/session.js';
import {type CandidateQuestion, placesOf} from './sigstore/candidates.js';
import {readStatement, type Statement, subjectsOf} from './sigstore/envelope.js';
import {readAttached} from './sigstore/layer.js';
import {checkClaim, isSignStatement} from './sigstore/payload.js';
import type {LogSearch} from './sigstore/log-search.js';
import {anyOf, type KnownAttestor, makerOf, prove} from './sigstore/prove.js';
import type {Signed} from './sigstore/signed.js';
import type {TrustSource} from './sigstore/trust-source.js';

export interface CosignParts extends Pick<VerifierParts, 'clock' | 'regex' | 'secrets' | 'keyServices'> {
  readonly trust: TrustSource;
  readonly logs: LogSearch;
}

/** Signatures of one question for whose entries a log is asked: whoever writes to a registry does not choose how many. */
const maxSearches = 3;

/** Signatures and attestations as cosign makes them, in both schemes. Reject with an error of registry or verification. */
export function createCosign({clock, regex, secrets, keyServices, trust, logs}: CosignParts) {
  async function known(attestor: Attestor, session: Session): Promise<KnownAttestor> {
    const {signer} = attestor;
    switch (signer.type) {
      case 'secret':
        return {...attestor, signer: {type: 'key', publicKey: await keyIn(signer.secret, session), hash: signer.hash}};
      case 'kms':
        if (keyServices === undefined) throw unverified(`key service ${JSON.stringify(signer.uri.split('://', 1)[0])} has no plug-in here: give the public key itself`);
        return {...attestor, signer: {type: 'key', publicKey: await keyServices.publicKey(signer, session.signal), hash: signer.hash}};
      case 'notary':
        throw unverified('signatures of notation are not of this format');
      default:
        return {...attestor, signer};
    }
  }

  async function keyIn(reference: SecretReference, session: Session): Promise<string> {
    const name = `Secret ${reference.namespace}/${reference.name}`;
    const secret = await secrets(reference, session.signal).catch((error: unknown): never => {
      throw new ImageVerificationError(`${name}: ${error instanceof Error ? error.message : 'it cannot be read'}`, 'unreachable');
    });
    if (secret === undefined) throw unverified(`${name} does not exist`);
    const data = own(secret, 'data');
    const key = isObject(data) ? textOf(own(data, 'cosign.pub')) : '';
    if (key === '') throw unverified(`${name} has no key cosign.pub`);
    return Buffer.from(key, 'base64').toString('utf8');
  }

  /** Proves what is signed by the attestor. */
  async function prover(attestor: Attestor, session: Session): Promise<(signed: Signed) => Promise<void>> {
    const [who, believed] = [await known(attestor, session), await trust(attestor)];
    const {ignoreTlog, rekorUrl} = attestor.transparency;
    let searches = 0;
    return async signed => {
      const proven = (entries: Signed['entries']) => prove({signed: {...signed, entries}, attestor: who, trust: believed, regex, now: clock.now()});
      const isSought = signed.entries.length === 0 && !ignoreTlog && rekorUrl !== undefined && searches < maxSearches;
      if (!isSought) return proven(signed.entries);
      const {signature, pem} = makerOf({signed, attestor: who});
      searches += 1;
      const found = await logs({url: rekorUrl, signed, signature, verifier: pem, session});
      // A log has several entries of one signature when it was published more than once.
      return found.length === 0 ? proven([]) : anyOf(found, entry => proven([entry]));
    };
  }

  function question(query: Omit<SignatureQuery, 'attestor'> & {readonly attestor: Attestor | undefined}, parts: VerificationParts, kind: 'sig' | 'att'): CandidateQuestion {
    const {attestor, ociReferrers} = query;
    const place = attestor?.repository === undefined ? parts.image : readRepository(attestor.repository);
    return {...parts, place, tagPrefix: attestor?.tagPrefix ?? '', kind, ociReferrers};
  }

  return {
    async verifySignature(query: SignatureQuery, parts: VerificationParts): Promise<void> {
      const {attestor, format} = query;
      const proves = await prover(attestor, parts.session);
      const failures = new Failures();
      // Whoever asks for bundles takes what builds attest (as GitHub's do, which sign nothing beside it) for their signature.
      const counts = (type: string) => format === 'bundle' || isSignStatement(type);
      for (const look of placesOf(format)) {
        for (const {noted, load} of await look(question(query, parts, 'sig'))) {
          if (noted !== '' && !counts(noted)) continue;
          try {
            const signed = await load();
            await proves(signed);
            checkClaim(signed, {digest: parts.image.digest, counts, annotations: attestor.annotations});
            return;
          } catch (error) {
            failures.add(error);
          }
        }
      }
      throw failures.summary('no signatures found');
    },

    async verifyAttestations(query: AttestationQuery, parts: VerificationParts) {
      const {attestor, format, type} = query;
      const proves = attestor && (await prover(attestor, parts.session));
      const failures = new Failures();
      const statements: JsonObject[] = [];
      const others = new Set<string>();
      let isThere = false;
      for (const look of placesOf(format)) {
        for (const {noted, load} of await look(question(query, parts, 'att'))) {
          if (noted !== '' && noted !== type) {
            if (!isSignStatement(noted)) others.add(noted.slice(0, 200));
            continue;
          }
          try {
            const signed = await load();
            const statement = readStatement(signed);
            if (statement.predicateType !== type) {
              if (!isSignStatement(statement.predicateType)) others.add(statement.predicateType.slice(0, 200));
              continue;
            }
            isThere = true;
            await proves?.(signed);
            checkStatement(statement, parts.image.digest, attestor);
            statements.push(statement.json);
          } catch (error) {
            failures.add(error);
          }
        }
        if (statements.length > 0) break;
      }
      // What is there and proves nothing is not the same as nothing there.
      if (statements.length === 0 && (isThere || failures.unreachable !== undefined)) throw failures.summary('no attestations found');
      return {statements, otherTypes: [...others].sort()};
    },

    async verifyBlob({payload, signature, certificate, bundle, attestor}: BlobQuery, session: Session): Promise<void> {
      const proves = await prover(attestor, session);
      const attached = {signature, certificate, chain: undefined, entry: bundle, timestamp: undefined};
      const failures = new Failures();
      try {
        await proves(readAttached(attached, Buffer.from(payload)));
      } catch (error) {
        failures.add(error);
        throw failures.summary('no signature');
      }
    },
  };
}

/** Annotations of an attestation stand with its subject. */
function checkStatement(statement: Statement, digest: string, attestor: Attestor | undefined): void {
  const subjects = subjectsOf(statement, digest);
  const pairs = Object.entries(attestor?.annotations ?? {});
  const holds = (subject: JsonObject) => {
    const annotations = own(subject, 'annotations');
    return pairs.every(([key, value]) => isObject(annotations) && own(annotations, key) === value);
  };
  if (pairs.length > 0 && !subjects.some(holds)) throw unverified('no attestation matched the required annotations');
}

/** Why nothing of what was found counts; an answer that did not come outweighs all others. */
class Failures {
  readonly #texts = new Set<string>();
  #unreachable: Error | undefined;

  get unreachable(): Error | undefined {
    return this.#unreachable;
  }

  add(error: unknown): void {
    const isKnown = error instanceof ImageVerificationError || error instanceof RegistryError;
    const isUnreachable = isKnown && (error instanceof RegistryError ? error.kind : error.reason) === 'unreachable';
    if (isUnreachable) this.#unreachable = error as Error;
    // Hostile bytes that a reader of DER or JSON gave up on.
    this.#texts.add(isKnown ? error.message : `malformed data (${error instanceof Error ? error.name : 'unknown'})`);
  }

  summary(nothing: string): Error {
    if (this.#unreachable !== undefined) return this.#unreachable;
    const texts = [...this.#texts];
    const more = texts.length > 3 ? `; and ${texts.length - 3} more` : '';
    return unverified(texts.length === 0 ? nothing : `${texts.slice(0, 3).join('; ')}${more}`);
  }
}
