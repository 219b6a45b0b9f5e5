import {describe, expect, it} from 'vitest';
import {defaultLimits} from '../../engine/budget.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {RequestContext} from '../../engine/context/request-context.js';
import {RuleRun} from '../../engine/context/rule-run.js';
import {RuleScope} from '../../engine/context/rule-scope.js';
import {imageDefaults, parseImageReference} from '../../engine/image/parse-image.js';
import {compileState} from '../../engine/snapshot/policy-cache.js';
import {emptyCache, policyOf, regex} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {pod, requestOf} from '../../engine/testing/requests.js';
import {verifyImages as schema} from '../../scripts/crd/verify-images.js';

const key = '-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----';
const keys = `keys: {publicKeys: "${key}"}`;
const attestor = (text: string) => `attestors: [{entries: [{${text}}]}]`;
const certificates = (text: string) => attestor(`certificates: {cert: C${text}}`);
const keyless = (text: string) => attestor(`keyless: {rekor: {url: "https://r"}${text}}`);
const flat = (text: string) => `image: "*", ${text}`;

/** Path in the definition → an entry with the field, and the same without it. */
const rows: Readonly<Record<string, readonly [string, string]>> = {
  failureAction: ['failureAction: Audit, mutateDigest: false', 'mutateDigest: false'],
  type: [`type: SigstoreBundle, ${attestor(keys)}`, attestor(keys)],
  imageReferences: ['imageReferences: ["reg.io/*"]', 'imageReferences: ["other.io/*"]'],
  skipImageReferences: ['skipImageReferences: ["reg.io/*"]', ''],
  repository: [`repository: r.io/s, ${attestor(keys)}`, attestor(keys)],
  cosignOCI11: ['cosignOCI11: true', ''],
  mutateDigest: ['mutateDigest: false', ''],
  verifyDigest: ['verifyDigest: false', ''],
  required: ['required: false', ''],
  useCache: ['useCache: false', ''],
  'attestors.count': [
    `attestors: [{count: 1, entries: [{${keys}}, {${keys}}]}]`,
    `attestors: [{entries: [{${keys}}, {${keys}}]}]`,
  ],
  'attestors.entries.keys.publicKeys': [attestor(`keys: {publicKeys: k8s://a/b}`), attestor(keys)],
  'attestors.entries.keys.secret.name': [
    attestor('keys: {secret: {name: x, namespace: team}}'),
    attestor('keys: {secret: {name: z, namespace: team}}'),
  ],
  'attestors.entries.keys.secret.namespace': [
    attestor('keys: {secret: {name: x, namespace: team}}'),
    attestor('keys: {secret: {name: x, namespace: shop}}'),
  ],
  'attestors.entries.keys.kms': [attestor('keys: {kms: "awskms:///x"}'), attestor('keys: {kms: "awskms:///y"}')],
  'attestors.entries.keys.signatureAlgorithm': [
    attestor(`keys: {publicKeys: "${key}", signatureAlgorithm: sha512}`),
    attestor(keys),
  ],
  'attestors.entries.keys.rekor.url': [
    attestor(`keys: {publicKeys: "${key}", rekor: {url: "https://r"}}`),
    attestor(keys),
  ],
  'attestors.entries.keys.rekor.pubkey': [attestor(`keys: {publicKeys: "${key}", rekor: {pubkey: P}}`), attestor(keys)],
  'attestors.entries.keys.rekor.ignoreTlog': [
    attestor(`keys: {publicKeys: "${key}", rekor: {ignoreTlog: true}}`),
    attestor(keys),
  ],
  'attestors.entries.keys.ctlog.ignoreSCT': [
    attestor(`keys: {publicKeys: "${key}", ctlog: {ignoreSCT: true}}`),
    attestor(keys),
  ],
  'attestors.entries.keys.ctlog.pubkey': [attestor(`keys: {publicKeys: "${key}", ctlog: {pubkey: P}}`), attestor(keys)],
  'attestors.entries.keys.ctlog.tsaCertChain': [
    attestor(`keys: {publicKeys: "${key}", ctlog: {tsaCertChain: P}}`),
    attestor(keys),
  ],
  'attestors.entries.certificates.cert': [certificates(''), attestor('certificates: {cert: D}')],
  'attestors.entries.certificates.certChain': [certificates(', certChain: D'), certificates('')],
  'attestors.entries.certificates.rekor.url': [certificates(', rekor: {url: "https://r"}'), certificates('')],
  'attestors.entries.certificates.rekor.pubkey': [certificates(', rekor: {pubkey: P}'), certificates('')],
  'attestors.entries.certificates.rekor.ignoreTlog': [certificates(', rekor: {ignoreTlog: true}'), certificates('')],
  'attestors.entries.certificates.ctlog.ignoreSCT': [certificates(', ctlog: {ignoreSCT: true}'), certificates('')],
  'attestors.entries.certificates.ctlog.pubkey': [certificates(', ctlog: {pubkey: P}'), certificates('')],
  'attestors.entries.certificates.ctlog.tsaCertChain': [certificates(', ctlog: {tsaCertChain: P}'), certificates('')],
  'attestors.entries.keyless.issuer': [keyless(', issuer: i'), keyless('')],
  'attestors.entries.keyless.issuerRegExp': [keyless(', issuerRegExp: ^i$'), keyless('')],
  'attestors.entries.keyless.subject': [keyless(', subject: "s*"'), keyless('')],
  'attestors.entries.keyless.subjectRegExp': [keyless(', subjectRegExp: ^i$'), keyless('')],
  'attestors.entries.keyless.roots': [keyless(', roots: R'), keyless('')],
  'attestors.entries.keyless.additionalExtensions': [keyless(', additionalExtensions: {a: b}'), keyless('')],
  'attestors.entries.keyless.rekor.url': [keyless(''), attestor('keyless: {rekor: {url: "https://other"}}')],
  'attestors.entries.keyless.rekor.pubkey': [attestor('keyless: {rekor: {url: "https://r", pubkey: P}}'), keyless('')],
  'attestors.entries.keyless.rekor.ignoreTlog': [
    attestor('keyless: {rekor: {url: "https://r", ignoreTlog: true}}'),
    keyless(''),
  ],
  'attestors.entries.keyless.ctlog.ignoreSCT': [keyless(', ctlog: {ignoreSCT: true}'), keyless('')],
  'attestors.entries.keyless.ctlog.pubkey': [keyless(', ctlog: {pubkey: P}'), keyless('')],
  'attestors.entries.keyless.ctlog.tsaCertChain': [keyless(', ctlog: {tsaCertChain: P}'), keyless('')],
  'attestors.entries.attestor': [attestor(`attestor: {entries: [{${keys}}]}`), attestor(keys)],
  'attestors.entries.annotations': [attestor(`${keys}, annotations: {a: b}`), attestor(keys)],
  'attestors.entries.repository': [attestor(`${keys}, repository: r.io/s`), attestor(keys)],
  'attestors.entries.signatureAlgorithm': [attestor(`${keys}, signatureAlgorithm: sha384`), attestor(keys)],
  'attestations.name': ['attestations: [{type: t, name: found}]', 'attestations: [{type: t}]'],
  'attestations.type': ['attestations: [{type: t}]', 'attestations: [{type: u}]'],
  'attestations.predicateType': ['attestations: [{predicateType: t}]', 'attestations: [{predicateType: u}]'],
  'attestations.attestors': [`attestations: [{type: t, ${attestor(keys)}}]`, 'attestations: [{type: t}]'],
  'attestations.conditions': [
    'attestations: [{type: t, conditions: [{all: [{key: a, operator: Equals, value: b}]}]}]',
    'attestations: [{type: t}]',
  ],
  'validate.message': [
    'validate: {message: m, deny: {conditions: {any: []}}}',
    'validate: {deny: {conditions: {any: []}}}',
  ],
  'validate.deny': ['validate: {deny: {conditions: {any: []}}}', ''],
  'imageRegistryCredentials.allowInsecureRegistry': ['imageRegistryCredentials: {allowInsecureRegistry: true}', ''],
  'imageRegistryCredentials.providers': ['imageRegistryCredentials: {providers: [google]}', ''],
  'imageRegistryCredentials.secrets': ['imageRegistryCredentials: {secrets: [a]}', ''],
  image: ['image: "reg.io/*"', 'image: "other.io/*"'],
  key: [flat(`key: "${key}"`), flat('')],
  issuer: [flat('issuer: i'), flat('')],
  subject: [flat('issuer: i, subject: s'), flat('issuer: i')],
  roots: [flat('issuer: i, roots: R'), flat('issuer: i')],
  additionalExtensions: [flat('issuer: i, additionalExtensions: {a: b}'), flat('issuer: i')],
  annotations: [flat(`key: "${key}", annotations: {a: b}`), flat(`key: "${key}"`)],
};

const rule = (entry: string) =>
  `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, verifyImages: [{${entry.includes('image: ') || entry.includes('imageReferences') ? '' : 'imageReferences: ["*"], '}${entry}}]}]`;

/** Everything that is known of a rule of this entry, as text. */
function viewOf(entry: string): string {
  const compile = {matchConditions: 'by-api-server', regex, keyServiceLack: () => undefined} as const;
  const state = compileState(policyOf('p', rule(entry)), {resources: () => builtinResourceMap, compile});
  if (state.status === 'refused') throw new Error(state.problems.map(({message}) => message).join('; '));
  const [compiled] = state.policy.imageRules;
  const [first] = compiled!.images.entries;
  const run = new RuleRun({
    loader: recordingLoader(),
    regex,
    resources: builtinResourceMap,
    operatorNamespace: 'kyverno',
    limits: defaultLimits,
  });
  const scope = new RuleScope({env: run, context: new RequestContext(requestOf({object: pod('p')})), entries: []});
  const image = parseImageReference('reg.io/app:v1', imageDefaults)!;
  const {mutateDigest, verifyDigest, required, conditions, deny} = first!;
  return JSON.stringify({
    action: compiled!.fixedAction,
    matches: first!.matches(image),
    skips: first!.skips(image),
    conditions: conditions.map(blocks => blocks.length),
    deny: deny === undefined ? 'none' : deny.message !== undefined,
    flags: [mutateDigest, verifyDigest, required],
    entry: first!.resolve(scope),
  });
}

type Node = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly fields?: Readonly<Record<string, Node>>;
};

/** Leaves of the definition: what has no named parts of its own, sets of attestors once. */
function leavesOf(node: Node, path: string): string[] {
  const fields = node.properties ?? node.fields ?? node.items?.properties ?? node.items?.fields;
  if (
    fields === undefined ||
    path === 'validate.deny' ||
    path === 'attestations.attestors' ||
    path === 'attestations.conditions'
  )
    return [path];
  return Object.entries(fields).flatMap(([name, field]) => leavesOf(field, path === '' ? name : `${path}.${name}`));
}

describe('every field of an entry', () => {
  it('is in the table', () => {
    expect(Object.keys(rows).sort()).toEqual(leavesOf(schema as unknown as Node, '').sort());
  });

  for (const [path, [given, without]] of Object.entries(rows)) {
    it(`${path} makes a difference`, () => {
      expect(viewOf(given)).not.toBe(viewOf(without));
    });
  }
});

describe('what is refused at load', () => {
  const refused: ReadonlyArray<readonly [string, string, string]> = [
    [
      'a key of a service that nobody answers for',
      attestor('keys: {kms: "gcpkms://x"}'),
      'no plug-in answers for keys of gcpkms:// (none is installed)',
    ],
    [
      'a key that is none',
      attestor('keys: {publicKeys: x}'),
      'holds neither PEM public keys nor k8s://namespace/secret',
    ],
    ['a key from the web', attestor('keys: {publicKeys: "https://x/key"}'), 'holds neither PEM public keys'],
    ['an unknown hash', attestor(`keys: {publicKeys: "${key}", signatureAlgorithm: md5}`), 'signature algorithm md5'],
    ['an expression that is none', keyless(', subjectRegExp: "^([a$"'), 'error parsing regexp'],
    [
      'an expression beside a text',
      keyless(', subject: a, subjectRegExp: ^a$'),
      'only one of subject and subjectRegExp',
    ],
    ['a subject without issuer in the older form', flat('subject: s'), 'subject is only read together with issuer'],
    [
      'annotations of nobody in the older form',
      flat('annotations: {a: b}'),
      'annotations are only read together with key or issuer',
    ],
    ['key and issuer in the older form', flat(`key: "${key}", issuer: i`), 'only one of key and issuer'],
    ['sets without end', attestor(nested(10)), 'deeper than'],
    ['a field that is none', attestor('keys: {publicKey: x}'), 'publicKey'],
  ];
  for (const [title, entry, want] of refused) {
    it(title, () => {
      const state = emptyCache().putPolicy(policyOf('p', rule(entry)));
      expect(
        state.status === 'refused'
          ? state.problems.map(({path, message}) => `${path} ${message}`).join('\n')
          : state.status,
      ).toContain(want);
    });
  }

  it('and what is only doubtful is told', () => {
    const state = emptyCache().putPolicy(policyOf('p', rule(keyless(', issuer: i, subjectRegExp: acme'))));
    expect(state.warnings.map(({message}) => message)).toContain(
      'the expression is found anywhere in the subject: without ^ and $ it fits longer ones, too',
    );
  });
});

function nested(depth: number): string {
  return depth === 0 ? keys : `attestor: {entries: [{${nested(depth - 1)}}]}`;
}
