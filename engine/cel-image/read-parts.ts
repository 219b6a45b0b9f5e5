import {Buffer} from 'node:buffer';
import type {HashAlgorithm} from '../image/verification.js';
import type {JsonObject} from '../json/types.js';
import {child, flag, objects, stringMap, strings, text} from '../policy/access.js';
import type {CosignAttestor, CosignSigner, ImageAttestation, ImageAttestor, ImageParts, TextOrExpression} from './model.js';

/** What only policies on images have, from a `spec` that `checkImageParts` found nothing wrong with. */
export function imageParts(spec: JsonObject): ImageParts {
  const configuration = child(spec, 'validationConfigurations');
  const credentials = child(spec, 'credentials');
  return {
    matchImageReferences: objects(spec, 'matchImageReferences').map(entry => {
      const glob = text(entry, 'glob') || undefined;
      return {glob, expression: glob === undefined ? text(entry, 'expression') : undefined};
    }),
    attestors: objects(spec, 'attestors').map(attestor),
    attestations: objects(spec, 'attestations').map(attestation),
    mutateDigest: flag(configuration, 'mutateDigest') ?? true,
    verifyDigest: flag(configuration, 'verifyDigest') ?? true,
    required: flag(configuration, 'required') ?? true,
    credentials: {
      allowInsecureRegistry: flag(credentials, 'allowInsecureRegistry') ?? false,
      providers: strings(credentials, 'providers'),
      secrets: strings(credentials, 'secrets'),
    },
  };
}

function attestor(entry: JsonObject): ImageAttestor {
  const name = text(entry, 'name') ?? '';
  const notary = child(entry, 'notary');
  if (notary !== undefined) {
    const certificates = given(notary, 'certs') ?? {value: ''};
    return {type: 'notary', name, certificates, tsaCertificates: given(notary, 'tsaCerts')};
  }
  return cosign(name, child(entry, 'cosign') ?? {});
}

function cosign(name: string, block: JsonObject): CosignAttestor {
  const source = child(block, 'source');
  const log = child(block, 'ctlog');
  const tuf = child(block, 'tuf');
  const root = child(tuf, 'root');
  const data = text(root, 'data') || undefined;
  return {
    type: 'cosign',
    name,
    by: signer(block),
    repository: text(source, 'repository') || undefined,
    tagPrefix: text(source, 'tagPrefix') || undefined,
    pullSecrets: objects(source, 'PullSecrets').flatMap(secret => text(secret, 'name') || []),
    annotations: stringMap(block, 'annotations') ?? {},
    log: {
      url: text(log, 'url') || undefined,
      rekorPublicKey: text(log, 'rekorPubKey') || undefined,
      ctlogPublicKey: text(log, 'ctLogPubKey') || undefined,
      tsaCertChain: text(log, 'tsaCertChain') || undefined,
      ignoreTlog: flag(log, 'insecureIgnoreTlog') ?? false,
      ignoreSct: flag(log, 'insecureIgnoreSCT') ?? false,
    },
    tuf:
      tuf === undefined
        ? undefined
        : {
            root: data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8'),
            rootPath: text(root, 'path') || undefined,
            mirror: text(tuf, 'mirror') || undefined,
          },
    trustedRoot: given(block, 'trustedRoot'),
  };
}

function signer(block: JsonObject): CosignSigner {
  const keyless = child(block, 'keyless');
  if (keyless !== undefined) {
    return {
      type: 'keyless',
      identities: objects(keyless, 'identities').map(identity => ({
        issuer: text(identity, 'issuer') || undefined,
        issuerRegExp: text(identity, 'issuerRegExp') || undefined,
        subject: text(identity, 'subject') || undefined,
        subjectRegExp: text(identity, 'subjectRegExp') || undefined,
        subjectExpression: text(identity, 'subjectExpression') || undefined,
      })),
      roots: text(keyless, 'roots') || undefined,
      additionalExtensions: stringMap(keyless, 'additionalExtensions') ?? {},
    };
  }
  const certificate = child(block, 'certificate');
  if (certificate !== undefined) {
    return {type: 'certificate', certificate: given(certificate, 'cert'), chain: given(certificate, 'certChain')};
  }
  const key = child(block, 'key');
  const hash = (text(key, 'hashAlgorithm') ?? 'sha256') as HashAlgorithm;
  const kms = text(key, 'kms');
  if (kms) return {type: 'kms', uri: kms, hash};
  const expression = text(key, 'expression');
  return {type: 'key', key: expression ? {expression} : {value: text(key, 'data') ?? ''}, hash};
}

/** An empty text counts as absent. */
function given(block: JsonObject, field: string): TextOrExpression | undefined {
  const entry = child(block, field);
  const expression = text(entry, 'expression');
  if (expression) return {expression};
  const value = text(entry, 'value');
  return value ? {value} : undefined;
}

function attestation(entry: JsonObject): ImageAttestation {
  const kind = child(entry, 'referrer') === undefined ? 'intoto' : 'referrer';
  return {name: text(entry, 'name') ?? '', kind, type: text(child(entry, kind), 'type') ?? ''};
}
