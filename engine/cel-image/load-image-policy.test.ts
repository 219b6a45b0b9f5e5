import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {parse} from 'yaml';
import {imageValidatingSpecShape} from '../cel-policies/load/shapes.js';
import {celCache, faultsOf} from '../cel-policies/testing/cel-engines.js';
import {formatDiagnostic} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, ownPath} from '../json/types.js';
import type {ObjectShape, Shape} from '../policy/shape.js';
import {imagePolicy, keys, off, signedByAlice, signers} from './testing/policies.js';

function schemaFields(schema: Json | undefined, path: string): string[] {
  const items = ownPath(schema, 'items');
  if (isObject(items)) return schemaFields(items, `${path}[]`);
  const properties = ownPath(schema, 'properties');
  if (!isObject(properties)) return [path];
  return Object.keys(properties).flatMap(key => schemaFields(properties[key], `${path}.${key}`));
}

function shapeFields(shape: Shape, path: string): string[] {
  if (shape.type === 'list') return shapeFields(shape.items, `${path}[]`);
  if (shape.type === 'strings') return [`${path}[]`];
  if (shape.type !== 'object') return [path];
  return Object.entries((shape as ObjectShape).fields).flatMap(([key, field]) => shapeFields(typeof field === 'function' ? field() : field, `${path}.${key}`));
}

describe('fields of policies on images', () => {
  it.each(['imagevalidatingpolicies', 'namespacedimagevalidatingpolicies'])('of %s are all read', name => {
    const file = new URL(`../../crds/policies.kyverno.io_${name}.yaml`, import.meta.url);
    const crd = parse(readFileSync(file, 'utf8')) as JsonObject;
    const [version] = ownPath(crd, 'spec', 'versions') as JsonObject[];
    const schema = ownPath(version, 'schema', 'openAPIV3Schema', 'properties', 'spec');
    expect(new Set(shapeFields(imageValidatingSpecShape, 'spec'))).toEqual(new Set(schemaFields(schema, 'spec')));
  });

  it('defaults are filled in', () => {
    const state = celCache().putPolicy(imagePolicy(`{${signers}, ${signedByAlice}}`));
    expect(state.status === 'served' && state.policy.source.spec).toMatchObject({
      mutateDigest: true,
      verifyDigest: true,
      required: true,
      validationActions: ['Deny'],
      failurePolicy: 'Fail',
      credentials: {allowInsecureRegistry: false, providers: [], secrets: []},
    });
  });
});

describe('faults', () => {
  const rest = 'validations: [{expression: "true"}]';
  const cosign = (block: string) => `attestors: [{name: a, cosign: ${block}}], ${rest}`;
  const keyless = (identity: string) => cosign(`{keyless: {identities: [${identity}]}}`);
  const key = JSON.stringify(keys.alice);
  const signer = 'spec.attestors[0].cosign';

  it.each<[what: string, spec: string, faults: readonly string[]]>([
    ['neither attestors nor validations', 'failurePolicy: Fail', ['spec.attestors: Required value', 'spec.validations: Required value']],
    ['neither glob nor expression', `${signers}, ${rest}, matchImageReferences: [{}]`, ['spec.matchImageReferences[0]: either glob or expression must be set']],
    ['a glob that is not closed', `${signers}, ${rest}, matchImageReferences: [{glob: "a{b"}]`, ['spec.matchImageReferences[0].glob: Invalid value: "a{b": a { is not closed']],
    ['a reference by no bool', `${signers}, ${rest}, matchImageReferences: [{expression: ref}]`, ['spec.matchImageReferences[0].expression: Invalid value: "ref": output is expected to be of type bool']],
    ['neither cosign nor notary', `attestors: [{name: a}], ${rest}`, ['spec.attestors[0]: exactly one of cosign and notary must be set']],
    ['both', `attestors: [{name: a, cosign: {key: {data: ${key}}}, notary: {certs: {value: x}}}], ${rest}`, ['spec.attestors[0]: exactly one of cosign and notary must be set']],
    ['nobody to sign', cosign('{annotations: {a: b}}'), [`${signer}: cosign verifier needs to have one key, keyless or certificate fields set (none is given)`]],
    ['two of them', cosign(`{key: {data: ${key}}, keyless: {identities: [{issuer: i, subject: s}]}}`), [`${signer}: cosign verifier needs to have one key, keyless or certificate fields set (given: key, keyless)`]],
    ['two keys', cosign(`{key: {data: ${key}, expression: object.a}}`), [`${signer}.key: exactly one of data, kms and expression must be set`]],
    ['no key', cosign('{key: {}}'), [`${signer}.key: exactly one of data, kms and expression must be set`]],
    ['a key that is none', cosign('{key: {data: none}}'), [`${signer}.key.data: Invalid value: no PEM block of a public key in it`]],
    ['a broken key', cosign('{key: {data: "-----BEGIN PUBLIC KEY-----\\nYWJj\\n-----END PUBLIC KEY-----"}}'), [`${signer}.key.data: Invalid value: block 1 is no public key that can be read`]],
    ['a hash of another age', cosign(`{key: {data: ${key}, hashAlgorithm: md5}}`), [`${signer}.key.hashAlgorithm: Unsupported value: "md5": supported values: "sha224", "sha256", "sha384", "sha512"`]],
    ['a key service without a plug-in', cosign('{key: {kms: "awskms:///alias/k"}}'), [`${signer}.key.kms: key service awskms:// needs a plug-in that this installation has not: none is installed`]],
    ['no address of a key service', cosign('{key: {kms: k}}'), [`${signer}.key.kms: Invalid value: "k": an address like awskms:///alias/key`]],
    ['anybody', keyless('{}'), [`${signer}.keyless.identities[0]: an identity without issuer and subject is anybody`]],
    ['nobody', cosign('{keyless: {identities: []}}'), [`${signer}.keyless.identities: Required value`]],
    ['two subjects', keyless('{issuer: i, subject: s, subjectRegExp: "^s$"}'), [`${signer}.keyless.identities[0]: only one of subject and subjectRegExp may be set`]],
    ['no expression', keyless('{issuer: i, subjectRegExp: "^s($"}'), [`${signer}.keyless.identities[0].subjectRegExp: Invalid value: "^s($": error parsing regexp: missing closing ): \`^s($\``]],
    ['neither value nor expression', `attestors: [{name: a, notary: {certs: {}}}], ${rest}`, ['spec.attestors[0].notary.certs: exactly one of value and expression must be set']],
    ['a name of nobody', `${signers}, validations: [{expression: 'verifyImageSignatures("a", [attestors.carol]) > 0'}]`, ['spec.validations[0].expression: Invalid value: "verifyImageSignatures(\\"a\\", [attestors.carol]) > 0": spec.attestors has no "carol"']],
    ['a category of images that is not there', `${signers}, validations: [{expression: 'images.container.size() > 0'}]`, ['spec.validations[0].expression: Invalid value: "images.container.size() > 0": spec.images has no "container"']],
    ['a name twice', `attestors: [{name: a, cosign: {key: {data: ${key}}}}, {name: a, cosign: {key: {data: ${key}}}}], ${rest}`, ['spec.attestors[1].name: Duplicate value: "a"']],
    ['both kinds of attestations', `${signers}, ${rest}, attestations: [{name: a, intoto: {type: t}, referrer: {type: t}}]`, ['spec.attestations[0]: exactly one of intoto and referrer must be set']],
    ['a provider that is none', `${signers}, ${rest}, credentials: {providers: [ibm]}`, ['spec.credentials.providers[0]: Unsupported value: "ibm": supported values: "default", "amazon", "azure", "google", "github"']],
    ['a Secret with two slashes', `${signers}, ${rest}, credentials: {secrets: [a/b/c]}`, ['spec.credentials.secrets[0]: Invalid value: "a/b/c": write name or namespace/name']],
    ['a mode of another product', `${signers}, ${rest}, evaluation: {mode: HTTP}`, ['spec.evaluation.mode: evaluation mode "HTTP" is not served by this release']],
    ['a trusted root that is no JSON', cosign(`{key: {data: ${key}}, trustedRoot: {value: "{"}}`), [`${signer}.trustedRoot.value: Invalid value: not JSON`]],
    ['a root that is not base64', cosign(`{key: {data: ${key}}, tuf: {root: {data: "{}"}}}`), [`${signer}.tuf.root.data: Invalid value: not base64`]],
    ['images in conditions, which come before', `${signers}, ${rest}, matchConditions: [{name: c, expression: "images.containers.size() > 0"}]`, ["spec.matchConditions[0].expression: Invalid value: \"images.containers.size() > 0\": ERROR: <input>:1:1: undeclared reference to 'images' (in container '')\n | images.containers.size() > 0\n | ^ (did you mean image?)"]],
    ['what is allowed, which is no matter of expressions', `${signers}, validations: [{expression: "exceptions.allowedImages.size() > 0"}]`, ["spec.validations[0].expression: Invalid value: \"exceptions.allowedImages.size() > 0\": ERROR: <input>:1:1: undeclared reference to 'exceptions' (in container '')\n | exceptions.allowedImages.size() > 0\n | ^"]],
    ['a field that is not known', `${signers}, ${rest}, attestor: []`, ['spec.attestor: unknown field "attestor" (did you mean "attestors"?)']],
  ])('%s', (_what, spec, faults) => {
    expect(faultsOf(imagePolicy(`{${spec}}`))).toEqual(faults);
  });

  it.each<[what: string, spec: string, faults: readonly string[]]>([
    ["another namespace's Secret", `${signers}, ${rest}, credentials: {secrets: [kyverno/a]}`, ['spec.credentials.secrets[0]: Forbidden: a policy of namespace default may not read Secrets of namespace kyverno']],
    ["the operator's cloud", `${signers}, ${rest}, credentials: {providers: [amazon]}`, ["spec.credentials.providers[0]: Forbidden: a policy of namespace default may not use the operator's credentials of provider amazon (name Secrets of the namespace)"]],
    ["another namespace's key", cosign('{key: {kms: "k8s://kyverno/key"}}'), [`${signer}.key.kms: Forbidden: a policy of namespace default may not use the operator's credentials of a key service (give the public key, or k8s://default/<secret>)`]],
    ['a file of the operator', cosign(`{key: {data: ${key}}, tuf: {root: {path: /etc/root.json}}}`), [`${signer}.tuf.root.path: Forbidden: a policy of namespace default may not read files of the operator (give the root as data)`]],
    ['its own of all these', `${cosign('{key: {kms: "k8s://default/key"}, tuf: {root: {path: "https://tuf/root.json"}}}')}, credentials: {secrets: [a, default/b], providers: [default]}`, []],
  ])('of a policy of a namespace: %s', (_what, spec, faults) => {
    expect(faultsOf(imagePolicy(`{${spec}}`, {}, 'NamespacedImageValidatingPolicy'))).toEqual(faults);
  });

  it.each<[identity: string, warnings: readonly string[]]>([
    ['{issuer: i, subject: s}', []],
    ['{issuerRegExp: "^i$", subjectRegExp: "^s$"}', []],
    ['{issuerRegExp: "(?i)^i$", subjectRegExp: "\\\\As\\\\z"}', []],
    ['{issuer: i, subjectRegExp: "s"}', [`${signer}.keyless.identities[0].subjectRegExp: the expression may match a part of the text: ^ and $ is missing (^s$)`]],
    ['{issuer: i, subjectRegExp: "^s\\\\$"}', [`${signer}.keyless.identities[0].subjectRegExp: the expression may match a part of the text: $ is missing (^s\\$$)`]],
    ['{subject: s}', [`${signer}.keyless.identities[0].issuer: any issuer will do`]],
  ])('an identity %s warns', (identity, warnings) => {
    const state = celCache().putPolicy(imagePolicy(`{${keyless(identity)}}`));
    expect([state.status, state.warnings.map(formatDiagnostic)]).toEqual(['served', warnings]);
  });
});

describe('variants for Pod controllers', () => {
  it('every expression is rewritten, and defaults are told', () => {
    const spec = `{attestors: [{name: k, cosign: {keyless: {identities: [{issuer: i, subjectExpression: object.metadata.labels.team}]}}}], ${off.replace('required: false', 'required: true')},
      images: [{name: more, expression: "[object.spec.nodeName]"}], variables: [{name: v, expression: object.spec.hostname}],
      validations: [{expression: "images.more == [variables.v]", message: "see object.spec"}], autogen: {podControllers: {controllers: [cronjobs]}}}`;
    const state = celCache().putPolicy(imagePolicy(spec));
    if (state.status === 'refused') throw new Error(state.problems.map(formatDiagnostic).join('\n'));
    const pod = 'object.spec.jobTemplate.spec.template';
    expect(state.policy.autogen.map(({name}) => name)).toEqual(['cronjobs']);
    expect(state.policy.autogen[0]?.spec).toMatchObject({
      attestors: [{name: 'k', cosign: {keyless: {identities: [{issuer: 'i', subjectExpression: `${pod}.metadata.labels.team`}]}}}],
      images: [{name: 'more', expression: `[${pod}.spec.nodeName]`}],
      variables: [{name: 'v', expression: `${pod}.spec.hostname`}],
      validations: [{message: `see ${pod}.spec`}],
      validationConfigurations: {mutateDigest: false, verifyDigest: false, required: true},
    });
  });
});
