import {flag, free, int32, list, named, type SchemaNode, text, textMap, word} from './schema.js';

const rekor: SchemaNode = named('Rekor', 'The transparency log.', {
  url: text('Address of the log.'),
  pubkey: text('PEM public key of the log.'),
  ignoreTlog: flag('Do not look into the log.'),
});

const ctlog: SchemaNode = named('CtLog', 'The certificate log.', {
  ignoreSCT: flag('Do not ask for a signed certificate timestamp.'),
  pubkey: text('PEM public key of the log.'),
  tsaCertChain: text('PEM chain of the time stamp authority.'),
});

const keys: SchemaNode = named('KeyAttestor', 'Signed with a key.', {
  publicKeys: text('PEM public keys, a variable, or k8s://namespace/secret.'),
  secret: named('SecretReference', 'Secret that holds the key.', {name: text('Name.'), namespace: text('Namespace.')}),
  kms: text('Address of a key management service.'),
  signatureAlgorithm: word('Hash, sha256 when unset.', ['sha224', 'sha256', 'sha384', 'sha512']),
  rekor,
  ctlog,
});

const certificates: SchemaNode = named('CertificateAttestor', 'Signed with a certificate.', {
  cert: text('PEM certificate.'),
  certChain: text('PEM chain of the certificate.'),
  rekor,
  ctlog,
});

const keyless: SchemaNode = named('KeylessAttestor', 'Signed by an identity.', {
  issuer: text('Issuer of the identity, with wildcards.'),
  issuerRegExp: text('Issuer of the identity, as a regular expression.'),
  subject: text('Identity, with wildcards.'),
  subjectRegExp: text('Identity, as a regular expression.'),
  roots: text('PEM root certificates.'),
  additionalExtensions: textMap('Extensions that the certificate must have.'),
  rekor,
  ctlog,
});

const entry: SchemaNode = named('Attestor', 'One who may sign; exactly one of keys, certificates, keyless, attestor.', {
  keys,
  certificates,
  keyless,
  attestor: free('A set inside this set.', 'AttestorSet'),
  annotations: textMap('Annotations that the signature must carry.'),
  repository: text('Where the signatures are.'),
  signatureAlgorithm: text('Hash, older place.'),
});

export const attestors: SchemaNode = list(
  'Sets of signers; every set must be satisfied.',
  named('AttestorSet', 'A set of signers.', {
    count: int32('How many must have signed; all when unset.'),
    entries: list('Who may sign.', entry),
  }),
);
