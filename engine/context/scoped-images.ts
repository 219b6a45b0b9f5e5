import {EvalError} from '../diagnostic.js';
import type {AttestationQuery, Attestor, BlobQuery, ImageOptions, ImageSource, RegistryAccess, SecretReference} from '../image/verification.js';

/**
 * Registries for a policy of a namespace: it opens them with Secrets of that namespace only, and never with what the
 * operator is in a cloud. What the installation itself has given for all registries goes for its policies, too.
 */
export function scopeImages(host: ImageSource, namespace: string): ImageSource {
  const refuse = (what: string): never => {
    throw new EvalError(`a policy of namespace ${namespace} may not ${what}`, 'scope');
  };
  const checkSecrets = (secrets: readonly SecretReference[]) => confineSecrets(secrets, namespace);
  const checkAccess = (access: RegistryAccess) => confineAccess(access, namespace);
  const checkAttestor = (attestor: Attestor | undefined) => {
    if (attestor === undefined) return;
    const {signer, transparency, pullSecrets} = attestor;
    checkSecrets(pullSecrets);
    if (signer.type === 'secret') checkSecrets([signer.secret]);
    if (signer.type === 'kms') refuse("use the operator's credentials of a key service: give the public key");
    if (transparency.tuf?.rootPath !== undefined && !/^https?:\/\//.test(transparency.tuf.rootPath)) {
      refuse('read files of the operator: give the root as data');
    }
  };
  return {
    imageData(image, access, options) {
      checkAccess(access);
      return host.imageData(image, access, options);
    },
    resolveDigest(image, access, options) {
      checkAccess(access);
      return host.resolveDigest(image, access, options);
    },
    verifySignature(query, options) {
      checkAccess(query.access);
      checkAttestor(query.attestor);
      return host.verifySignature(query, options);
    },
    verifyAttestations(query: AttestationQuery, options) {
      checkAccess(query.access);
      checkAttestor(query.attestor);
      return host.verifyAttestations(query, options);
    },
    ...(host.verifyBlob !== undefined && {
      verifyBlob(query: BlobQuery, options: ImageOptions) {
        checkAttestor(query.attestor);
        return host.verifyBlob?.(query, options);
      },
    }),
  };
}

/** Throws for credentials that are not those of the namespace. */
export function confineAccess({secrets, providers}: RegistryAccess, namespace: string): void {
  confineSecrets(secrets, namespace);
  const cloud = providers.find(provider => provider !== 'default');
  if (cloud !== undefined) {
    const what = `use the operator's credentials of provider ${cloud}: name Secrets of the namespace`;
    throw new EvalError(`a policy of namespace ${namespace} may not ${what}`, 'scope');
  }
}

function confineSecrets(secrets: readonly SecretReference[], namespace: string): void {
  const foreign = secrets.find(secret => secret.namespace !== namespace);
  if (foreign === undefined) return;
  const what = `read a Secret of namespace ${foreign.namespace || '""'}`;
  throw new EvalError(`a policy of namespace ${namespace} may not ${what}`, 'scope');
}
