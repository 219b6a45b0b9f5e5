import {CompileError} from '../diagnostic.js';
import type {KeyServiceLack} from '../image/key-services.js';
import type {RegistryAccess, SecretReference, SignatureFormat} from '../image/verification.js';
import type {JsonObject} from '../json/types.js';
import {child, flag, objects, strings, text} from '../policy/access.js';
import type {Attestation, ImageEntry} from './model.js';
import {type AttestorDefaults, readAttestorSets} from './read-attestors.js';

export interface EntryOptions {
  /** Of Secrets that are named without one. */
  readonly secretNamespace: string;
  readonly keyServiceLack: KeyServiceLack;
}

/**
 * What an entry asks of registries, its variables resolved. What conditions and references say is compiled apart. Throws
 * `CompileError` with paths from the entry on (`.attestors[0].entries[0].keys`).
 */
export function readEntry(entry: JsonObject, options: EntryOptions): ImageEntry {
  const format = formatOf(text(entry, 'type'));
  const defaults: AttestorDefaults = {
    notary: format === 'notary',
    repository: text(entry, 'repository') || undefined,
    keyServiceLack: options.keyServiceLack,
  };
  return {
    format,
    ociReferrers: flag(entry, 'cosignOCI11') ?? false,
    access: readAccess(child(entry, 'imageRegistryCredentials'), options.secretNamespace),
    useCache: flag(entry, 'useCache') ?? true,
    attestors: readAttestorSets(objects(entry, 'attestors'), '.attestors', defaults),
    attestations: objects(entry, 'attestations').map((attestation, index) =>
      readAttestation(attestation, `.attestations[${index}]`, defaults),
    ),
  };
}

function readAttestation(attestation: JsonObject, path: string, defaults: AttestorDefaults): Attestation {
  const type = text(attestation, 'type') || text(attestation, 'predicateType') || '';
  if (type === '') throw new CompileError({code: 'predicate-type', path, message: `${path}: missing type`});
  return {
    name: text(attestation, 'name') ?? '',
    type,
    attestors: readAttestorSets(objects(attestation, 'attestors'), `${path}.attestors`, defaults),
  };
}

function formatOf(type: string | undefined): SignatureFormat {
  switch (type) {
    case 'Notary':
      return 'notary';
    case 'SigstoreBundle':
      return 'bundle';
    default:
      return 'tag';
  }
}

/** Secrets are named `name` or `namespace/name`. */
export function readAccess(credentials: JsonObject | undefined, secretNamespace: string): RegistryAccess {
  return {
    secrets: strings(credentials, 'secrets').map(secret => readSecret(secret, secretNamespace)),
    providers: strings(credentials, 'providers'),
    allowInsecureRegistry: flag(credentials, 'allowInsecureRegistry') ?? false,
  };
}

function readSecret(secret: string, fallback: string): SecretReference {
  const slash = secret.indexOf('/');
  return slash < 0
    ? {namespace: fallback, name: secret}
    : {namespace: secret.slice(0, slash), name: secret.slice(slash + 1)};
}

/** The older flat form of an entry as an entry with attestors. */
export function withoutFlatForm(entry: JsonObject): JsonObject {
  const {image, key, roots, subject, issuer, annotations, additionalExtensions, ...rest} = entry;
  const isSet = [image, key, issuer].some(value => typeof value === 'string' && value !== '');
  if (!isSet) return rest;
  const attestor: JsonObject = {};
  if (typeof key === 'string' && key !== '') attestor['keys'] = {publicKeys: key};
  else if (typeof issuer === 'string' && issuer !== '') {
    attestor['keyless'] = {
      issuer,
      ...(subject !== undefined && {subject}),
      ...(roots !== undefined && {roots}),
      ...(additionalExtensions !== undefined && {additionalExtensions}),
    };
  }
  if (annotations !== undefined) attestor['annotations'] = annotations;
  const set: JsonObject = {entries: [attestor]};
  const out: JsonObject = {...rest};
  if (typeof image === 'string' && image !== '') out['imageReferences'] = [...strings(rest, 'imageReferences'), image];
  if (attestor['keys'] === undefined && attestor['keyless'] === undefined) return out;
  const attestations = objects(rest, 'attestations');
  if (attestations.length > 0)
    out['attestations'] = attestations.map(attestation => ({
      ...attestation,
      attestors: [...objects(attestation, 'attestors'), set],
    }));
  else out['attestors'] = [...objects(rest, 'attestors'), set];
  return out;
}
