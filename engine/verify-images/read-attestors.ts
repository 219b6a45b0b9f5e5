import {CompileError} from '../diagnostic.js';
import {type KeyServiceLack, keyServiceOf} from '../image/key-services.js';
import type {
  Attestor,
  HashAlgorithm,
  Identity,
  SecretReference,
  Signer,
  TextMatch,
  Transparency,
} from '../image/verification.js';
import type {JsonObject} from '../json/types.js';
import {child, flag, has, integer, objects, stringMap, text} from '../policy/access.js';
import {hasWildcard} from '../values/glob.js';
import type {AttestorSet, Member} from './model.js';

/** What holds for all attestors of an entry. */
export interface AttestorDefaults {
  readonly notary: boolean;
  /** Repository of signatures, unless the attestor has its own. */
  readonly repository: string | undefined;
  readonly keyServiceLack: KeyServiceLack;
}

const keyEnd = '-----END PUBLIC KEY-----';
const hashes: ReadonlySet<string> = new Set<HashAlgorithm>(['sha224', 'sha256', 'sha384', 'sha512']);
const maxDepth = 8;

export function readAttestorSets(sets: readonly JsonObject[], path: string, defaults: AttestorDefaults): AttestorSet[] {
  return sets.map((set, index) => readSet(set, {path: `${path}[${index}]`, defaults, depth: 0}));
}

interface Place {
  /** `.attestors[0]` in messages. */
  readonly path: string;
  readonly defaults: AttestorDefaults;
  readonly depth: number;
}

function readSet(set: JsonObject, place: Place): AttestorSet {
  if (place.depth > maxDepth) throw fault(place.path, `attestor sets nest deeper than ${maxDepth}`);
  const entries = objects(set, 'entries').flatMap(splitKeys);
  if (entries.length === 0) throw fault(`${place.path}.entries`, 'An entry is required');
  const count = integer(set, 'count') ?? 0;
  if (count > entries.length) throw fault(`${place.path}.count`, 'Count cannot exceed length of entries');
  return {
    required: count > 0 ? count : entries.length,
    members: entries.map((entry, index) => readMember(entry, {...place, path: `${place.path}.entries[${index}]`})),
  };
}

/** A text of several keys is as many entries. */
function splitKeys(entry: JsonObject): JsonObject[] {
  const keys = child(entry, 'keys');
  const parts = (text(keys, 'publicKeys') ?? '').split(keyEnd).slice(0, -1);
  if (keys === undefined || parts.length < 2) return [entry];
  return parts.map(part => ({...entry, keys: {...keys, publicKeys: `${part.trim()}\n${keyEnd}\n`}}));
}

function readMember(entry: JsonObject, place: Place): Member {
  const nested = child(entry, 'attestor');
  if (nested !== undefined) {
    const path = `${place.path}.attestor`;
    return {type: 'set', path, set: readSet(nested, {...place, path, depth: place.depth + 1})};
  }
  const kind = (['keys', 'certificates', 'keyless'] as const).find(key => has(entry, key));
  if (kind === undefined) throw fault(place.path, 'keys, certificates, keyless, or a nested attestor is required');
  const path = `${place.path}.${kind}`;
  const body = child(entry, kind) ?? {};
  const {notary, repository} = place.defaults;
  const attestor: Attestor = {
    signer: notary
      ? notarySigner(body, path)
      : readSigner(kind, {body, entry, path, keyServiceLack: place.defaults.keyServiceLack}),
    transparency: readTransparency(body),
    annotations: stringMap(entry, 'annotations') ?? {},
    repository: text(entry, 'repository') || repository,
    tagPrefix: undefined,
    pullSecrets: [],
  };
  return {type: 'attestor', attestor, path};
}

interface SignerParts {
  readonly body: JsonObject;
  readonly entry: JsonObject;
  readonly path: string;
  readonly keyServiceLack: KeyServiceLack;
}

function readSigner(kind: 'keys' | 'certificates' | 'keyless', {body, entry, path, keyServiceLack}: SignerParts): Signer {
  if (kind === 'certificates') return certificateSigner(body, path);
  if (kind === 'keyless') return keylessSigner(body, path);
  const hash = readHash(text(body, 'signatureAlgorithm') || text(entry, 'signatureAlgorithm'), path);
  const secret = child(body, 'secret');
  if (secret !== undefined)
    return {
      type: 'secret',
      hash,
      secret: {namespace: text(secret, 'namespace') ?? '', name: text(secret, 'name') ?? ''},
    };
  const keys = (text(body, 'publicKeys') || text(body, 'kms') || '').trim();
  if (keys === '') throw fault(path, 'A public key, kms key or secret is required');
  if (keys.startsWith('-----BEGIN')) return {type: 'key', publicKey: keys, hash};
  const stored = secretOf(keys);
  if (stored !== undefined) return {type: 'secret', secret: stored, hash};
  const scheme = keyServiceOf(keys);
  if (scheme === undefined) {
    throw fault(path, 'holds neither PEM public keys nor k8s://namespace/secret nor the address of a key service');
  }
  const lack = keyServiceLack(scheme);
  if (lack !== undefined)
    throw notServed(path, `no plug-in answers for keys of ${scheme}:// (${lack}): give the public key, or a Secret that holds it`);
  return {type: 'kms', uri: keys, hash};
}

/** `k8s://namespace/name`. */
function secretOf(reference: string): SecretReference | undefined {
  const [, namespace, name] = /^k8s:\/\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
  return namespace === undefined || name === undefined ? undefined : {namespace, name};
}

function readHash(written: string | undefined, path: string): HashAlgorithm {
  if (written === undefined) return 'sha256';
  if (!hashes.has(written))
    throw fault(`${path}.signatureAlgorithm`, `signature algorithm ${written} is not one of ${[...hashes].join(', ')}`);
  return written as HashAlgorithm;
}

function certificateSigner(body: JsonObject, path: string): Signer {
  const certificate = pem(body, 'cert');
  const chain = pem(body, 'certChain');
  if (certificate === undefined && chain === undefined) throw fault(path, 'cert or certChain required');
  return {type: 'certificate', certificate, chain};
}

function notarySigner(body: JsonObject, path: string): Signer {
  const certificates = [pem(body, 'cert'), pem(body, 'certChain')].filter(block => block !== undefined).join('\n');
  if (certificates === '') throw fault(path, 'cert or certChain required');
  return {type: 'notary', certificates, tsaCertificates: pem(child(body, 'ctlog'), 'tsaCertChain')};
}

function keylessSigner(body: JsonObject, path: string): Signer {
  const identity: Identity = {issuer: readMatch(body, 'issuer', path), subject: readMatch(body, 'subject', path)};
  return {
    type: 'keyless',
    identities: identity.issuer === undefined && identity.subject === undefined ? [] : [identity],
    roots: pem(body, 'roots'),
    additionalExtensions: stringMap(body, 'additionalExtensions') ?? {},
  };
}

function readMatch(body: JsonObject, field: 'issuer' | 'subject', path: string): TextMatch | undefined {
  const plain = text(body, field) || undefined;
  const regexp = text(body, `${field}RegExp`) || undefined;
  if (plain !== undefined && regexp !== undefined)
    throw fault(`${path}.${field}RegExp`, `only one of ${field} and ${field}RegExp can be used`);
  if (regexp !== undefined) return {kind: 'regexp', text: regexp};
  return plain === undefined ? undefined : {kind: hasWildcard(plain) ? 'wildcard' : 'exact', text: plain};
}

function readTransparency(body: JsonObject): Transparency {
  const rekor = child(body, 'rekor');
  const ctlog = child(body, 'ctlog');
  const ignoreTlog = flag(rekor, 'ignoreTlog') ?? false;
  return {
    rekorUrl: text(rekor, 'url') || undefined,
    rekorPublicKey: pem(rekor, 'pubkey'),
    ignoreTlog,
    ctlogPublicKey: pem(ctlog, 'pubkey'),
    ignoreSct: flag(ctlog, 'ignoreSCT') ?? false,
    tsaCertChain: pem(ctlog, 'tsaCertChain'),
    trustedRoot: undefined,
    tuf: undefined,
  };
}

function pem(body: JsonObject | undefined, key: string): string | undefined {
  return text(body, key)?.trim() || undefined;
}

function fault(path: string, message: string): CompileError {
  return new CompileError({code: 'image-attestor', path, message: `${path}: ${message}`});
}

/** The policy is good, and would be judged by somebody who has the plug-in. */
function notServed(path: string, message: string): CompileError {
  return new CompileError({code: 'not-served', path, message: `${path}: ${message}`});
}
