import type {ObjectShape, Shape} from '../policy/shape.js';

/** Every field that only policies on images have, with its type. */
const string: Shape = {type: 'string'};
const boolean: Shape = {type: 'boolean'};
const strings: Shape = {type: 'strings'};
const texts: Shape = {type: 'map', values: string};
const object = (fields: ObjectShape['fields']): ObjectShape => ({type: 'object', fields});
const list = (items: Shape): Shape => ({type: 'list', items});

const given = object({value: string, expression: string});
const hashes: Shape = {type: 'string', values: ['sha224', 'sha256', 'sha384', 'sha512']};

const cosign = object({
  key: object({data: string, kms: string, hashAlgorithm: hashes, expression: string}),
  keyless: object({
    identities: list(
      object({
        issuer: string,
        issuerRegExp: string,
        subject: string,
        subjectRegExp: string,
        subjectExpression: string,
      }),
    ),
    roots: string,
    additionalExtensions: texts,
  }),
  certificate: object({cert: given, certChain: given}),
  source: object({repository: string, PullSecrets: list(object({name: string})), tagPrefix: string}),
  ctlog: object({
    url: string,
    rekorPubKey: string,
    ctLogPubKey: string,
    tsaCertChain: string,
    insecureIgnoreTlog: boolean,
    insecureIgnoreSCT: boolean,
  }),
  tuf: object({root: object({path: string, data: string}), mirror: string}),
  annotations: texts,
  trustedRoot: given,
});

const type = object({type: string});

export const imageFields = {
  matchImageReferences: list(object({glob: string, expression: string})),
  credentials: object({
    allowInsecureRegistry: boolean,
    providers: list({type: 'string', values: ['default', 'amazon', 'azure', 'google', 'github']}),
    secrets: strings,
  }),
  images: list(object({name: string, expression: string})),
  attestors: list(object({name: string, cosign, notary: object({certs: given, tsaCerts: given})})),
  attestations: list(object({name: string, intoto: type, referrer: type})),
  validationConfigurations: object({mutateDigest: boolean, verifyDigest: boolean, required: boolean}),
} as const;
