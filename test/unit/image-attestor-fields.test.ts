import {describe, expect, it} from 'vitest';
import {testImageSource} from '../../engine/cel-image/testing/image-source.js';
import {imageEngine, imagePolicy, keys} from '../../engine/cel-image/testing/policies.js';
import {call, celCache} from '../../engine/cel-policies/testing/cel-engines.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {pod, requestOf} from '../../engine/testing/requests.js';
import {makeCertificate} from '../../adapters/images/notary/testing/certificates.js';
import {imageAttestations, imageAttestors} from '../../scripts/crd/cel/image-attestor.js';
import {registryCredentials} from '../../scripts/crd/context-entry.js';

/** What the definition has of verifiers and credentials reaches whoever verifies, or is refused at load: nothing is passed over. */
const [alice, bob] = [keys.alice, keys.bob].map(pem => JSON.stringify(pem));
const [certificate, other] = ['a', 'b'].map(name => JSON.stringify(makeCertificate({name}).pem));
const expression = 'object.metadata.annotations.given';

const attestor = (text: string) => `attestors: [{name: a, ${text}}]`;
const cosign = (text: string) => attestor(`cosign: {${text}}`);
const keyed = (text: string) => cosign(`key: {data: ${alice}}, ${text}`);
const keyless = (identity: string, more = '') => cosign(`keyless: {identities: [{${identity}}]${more}}`);
const certified = (text: string) => cosign(`certificate: {${text}}`);
const notary = (text: string) => attestor(`notary: {certs: {value: ${certificate}}${text}}`);
const attestation = (text: string, name = 's') => `${keyed('')}, attestations: [{name: ${name}, ${text}}]`;
const credentials = (text: string) => `${keyed('')}, credentials: {${text}}`;
const root = (text: string) => Buffer.from(text).toString('base64');

/** Path in the definition → a policy with the field, and the same with another value or without it. */
const rows: Readonly<Record<string, readonly [string, string]>> = {
  'attestors.name': [keyed(''), keyed('').replace('name: a', 'name: b')],
  'attestors.cosign.key.data': [cosign(`key: {data: ${alice}}`), cosign(`key: {data: ${bob}}`)],
  'attestors.cosign.key.kms': [cosign('key: {kms: "k8s://n/a"}'), cosign('key: {kms: "k8s://n/b"}')],
  'attestors.cosign.key.hashAlgorithm': [cosign(`key: {data: ${alice}, hashAlgorithm: sha512}`), cosign(`key: {data: ${alice}}`)],
  'attestors.cosign.key.expression': [cosign(`key: {expression: ${expression}}`), cosign(`key: {data: ${bob}}`)],
  'attestors.cosign.keyless.identities.issuer': [keyless('issuer: i, subject: s'), keyless('issuer: j, subject: s')],
  'attestors.cosign.keyless.identities.issuerRegExp': [keyless('issuerRegExp: "^i$", subject: s'), keyless('issuerRegExp: "^j$", subject: s')],
  'attestors.cosign.keyless.identities.subject': [keyless('issuer: i, subject: s'), keyless('issuer: i, subject: t')],
  'attestors.cosign.keyless.identities.subjectRegExp': [keyless('issuer: i, subjectRegExp: "^s$"'), keyless('issuer: i, subjectRegExp: "^t$"')],
  'attestors.cosign.keyless.identities.subjectExpression': [keyless(`issuer: i, subjectExpression: "'^' + object.metadata.name"`), keyless(`issuer: i, subjectExpression: "'^s$'"`)],
  'attestors.cosign.keyless.roots': [keyless('issuer: i, subject: s', `, roots: ${certificate}`), keyless('issuer: i, subject: s')],
  'attestors.cosign.keyless.additionalExtensions': [keyless('issuer: i, subject: s', ', additionalExtensions: {x: y}'), keyless('issuer: i, subject: s')],
  'attestors.cosign.certificate.cert.value': [certified(`cert: {value: ${certificate}}`), certified(`cert: {value: ${other}}`)],
  'attestors.cosign.certificate.cert.expression': [certified(`cert: {expression: object.metadata.annotations.certificate}`), certified(`cert: {value: ${other}}`)],
  'attestors.cosign.certificate.certChain.value': [certified(`certChain: {value: ${certificate}}`), certified(`certChain: {value: ${other}}`)],
  'attestors.cosign.certificate.certChain.expression': [certified(`certChain: {expression: object.metadata.annotations.certificate}`), certified(`certChain: {value: ${other}}`)],
  'attestors.cosign.source.repository': [keyed('source: {repository: r.io/s}'), keyed('')],
  'attestors.cosign.source.PullSecrets.name': [keyed('source: {PullSecrets: [{name: p}]}'), keyed('')],
  'attestors.cosign.source.tagPrefix': [keyed('source: {tagPrefix: p}'), keyed('')],
  'attestors.cosign.ctlog.url': [keyed('ctlog: {url: "https://log"}'), keyed('')],
  'attestors.cosign.ctlog.rekorPubKey': [keyed(`ctlog: {rekorPubKey: ${bob}}`), keyed('')],
  'attestors.cosign.ctlog.ctLogPubKey': [keyed(`ctlog: {ctLogPubKey: ${bob}}`), keyed('')],
  'attestors.cosign.ctlog.tsaCertChain': [keyed(`ctlog: {tsaCertChain: ${certificate}}`), keyed('')],
  'attestors.cosign.ctlog.insecureIgnoreTlog': [keyed('ctlog: {insecureIgnoreTlog: true}'), keyed('')],
  'attestors.cosign.ctlog.insecureIgnoreSCT': [keyed('ctlog: {insecureIgnoreSCT: true}'), keyed('')],
  'attestors.cosign.tuf.mirror': [keyed('tuf: {mirror: "https://tuf"}'), keyed('')],
  'attestors.cosign.tuf.root.path': [keyed('tuf: {root: {path: "https://tuf/root.json"}}'), keyed('tuf: {}')],
  'attestors.cosign.tuf.root.data': [keyed(`tuf: {root: {data: "${root('{}')}"}}`), keyed('tuf: {}')],
  'attestors.cosign.trustedRoot.value': [keyed('trustedRoot: {value: "{}"}'), keyed('')],
  'attestors.cosign.trustedRoot.expression': [keyed(`trustedRoot: {expression: "'{' + '}'"}`), keyed('')],
  'attestors.cosign.annotations': [keyed('annotations: {x: y}'), keyed('')],
  'attestors.notary.certs.value': [notary(''), notary('').replace(certificate!, other!)],
  'attestors.notary.certs.expression': [attestor('notary: {certs: {expression: object.metadata.annotations.certificate}}'), notary('').replace(certificate!, other!)],
  'attestors.notary.tsaCerts.value': [notary(`, tsaCerts: {value: ${other}}`), notary('')],
  'attestors.notary.tsaCerts.expression': [notary(', tsaCerts: {expression: object.metadata.annotations.certificate}'), notary('')],
  'attestations.name': [attestation('intoto: {type: t}'), attestation('intoto: {type: t}', 'u')],
  'attestations.intoto.type': [attestation('intoto: {type: t}'), attestation('intoto: {type: u}')],
  'attestations.referrer.type': [`${notary('')}, attestations: [{name: s, referrer: {type: t}}]`, `${notary('')}, attestations: [{name: s, referrer: {type: u}}]`],
  'credentials.allowInsecureRegistry': [credentials('allowInsecureRegistry: true'), credentials('')],
  'credentials.providers': [credentials('providers: [google]'), credentials('')],
  'credentials.secrets': [credentials('secrets: [a]'), credentials('')],
};

/** What is asked of a registry for a policy, or why it is not served. */
async function viewOf(spec: string): Promise<string> {
  const ask = spec.includes('attestations:')
    ? 'verifyAttestationSignatures("r.io/app:1", attestations.s, [attestors.a]) > 0'
    : 'verifyImageSignatures("r.io/app:1", [attestors.a]) > 0';
  const policy = imagePolicy(`{${spec}, validations: [{expression: ${JSON.stringify(ask)}}]}`);
  const state = celCache().putPolicy(policy);
  if (state.status === 'refused') return state.problems.map(formatDiagnostic).join('\n');
  const source = testImageSource({'r.io/app:1': {digest: `sha256:${'a'.repeat(64)}`}}, {});
  const given = {given: keys.alice, certificate: JSON.parse(certificate!) as string};
  const object = pod('p', {metadata: {name: 'p', namespace: 'default', annotations: given}, spec: {containers: [{name: 'c', image: 'r.io/app:1'}]}});
  await imageEngine([policy], source).validate(requestOf({object}), call);
  expect(source.queries.length, spec).toBeGreaterThan(0);
  return JSON.stringify({queries: source.queries, accesses: source.accesses});
}

type Node = {readonly properties?: Readonly<Record<string, Node>>; readonly items?: Node};

function leavesOf(node: Node, path: string): string[] {
  const properties = node.properties ?? node.items?.properties;
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, child]) => leavesOf(child, `${path}.${name}`));
}

describe('every field of who signs, what is attested and whose credentials', () => {
  it('is in the table', () => {
    const definition: Readonly<Record<string, unknown>> = {attestors: imageAttestors, attestations: imageAttestations, credentials: registryCredentials};
    const leaves = Object.entries(definition).flatMap(([name, node]) => leavesOf(node as Node, name));
    expect(Object.keys(rows).sort()).toEqual(leaves.sort());
  });

  it.each(Object.entries(rows))('%s makes a difference', async (_path, [given, without]) => {
    expect(await viewOf(given)).not.toBe(await viewOf(without));
  });
});
