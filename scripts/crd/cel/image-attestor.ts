import {atomic, flag, list, named, type SchemaNode, text, textMap, word} from '../schema.js';

const textOrExpression: SchemaNode = named('TextOrExpression', 'A text, or CEL that gives one.', {
  value: text('The text.'),
  expression: text('CEL that gives the text.'),
});

function given(description: string): SchemaNode {
  return {...textOrExpression, description};
}

const cosign: SchemaNode = named('CosignAttestor', 'Signed with cosign.', {
  key: named('CosignKey', 'By a key.', {
    data: text('PEM public key.'),
    kms: text('Address of a key management service.'),
    hashAlgorithm: word('Hash, sha256 when unset.', ['sha224', 'sha256', 'sha384', 'sha512']),
    expression: text('CEL that gives the key.'),
  }),
  keyless: named('CosignKeyless', 'By an identity.', {
    identities: list(
      'Who may have signed; one is enough.',
      named('CosignIdentity', 'An identity.', {
        issuer: text('Issuer.'),
        issuerRegExp: text('Issuer, as a regular expression.'),
        subject: text('Identity.'),
        subjectRegExp: text('Identity, as a regular expression.'),
        subjectExpression: text('Identity, as CEL that gives a regular expression.'),
      }),
    ),
    roots: text('PEM root certificates.'),
    additionalExtensions: textMap('Extensions that the certificate must have.'),
  }),
  certificate: named('CosignCertificate', 'By a certificate.', {
    cert: given('PEM certificate.'),
    certChain: given('PEM chain of the certificate.'),
  }),
  source: named('CosignSource', 'Where the signatures are.', {
    repository: text('Repository.'),
    PullSecrets: list('Pull secrets.', atomic(named('LocalSecret', 'A Secret.', {name: text('Name.')}))),
    tagPrefix: text('Prefix of the tags.'),
  }),
  ctlog: named('CosignLogs', 'Logs to look into.', {
    url: text('Address of the transparency log.'),
    rekorPubKey: text('PEM public key of the transparency log.'),
    ctLogPubKey: text('PEM public key of the certificate log.'),
    tsaCertChain: text('PEM chain of the time stamp authority.'),
    insecureIgnoreTlog: flag('Do not look into the transparency log.'),
    insecureIgnoreSCT: flag('Do not ask for a signed certificate timestamp.'),
  }),
  tuf: named('CosignTuf', 'Where trusted keys come from.', {
    mirror: text('Address of the TUF repository.'),
    root: named('CosignTufRoot', 'First root of trust.', {
      path: text('Path or address.'),
      data: text('The root, base64.'),
    }),
  }),
  trustedRoot: given('Trusted root as JSON; goes before tuf.'),
  annotations: textMap('Annotations that the signature must carry.'),
});

const notary: SchemaNode = named('NotaryAttestor', 'Signed with notation.', {
  certs: given('PEM certificates to trust.'),
  tsaCerts: given('PEM certificates of time stamp authorities.'),
});

export const imageAttestors: SchemaNode = list(
  'Who may sign, for use as attestors.NAME.',
  named('ImageAttestor', 'One who may sign; exactly one of cosign and notary.', {name: text('Name.'), cosign, notary}),
);

const statementType = named('StatementType', 'Type of a statement.', {type: text('Type.')});

export const imageAttestations: SchemaNode = list(
  'Statements about images, for use as attestations.NAME.',
  named('ImageAttestation', 'A kind of statement; exactly one of intoto and referrer.', {
    name: text('Name.'),
    intoto: {...statementType, description: 'In-toto statement, by predicate type.'},
    referrer: {...statementType, description: 'OCI referrer, by artifact type.'},
  }),
);
