import {describe, expect, it} from 'vitest';
import {call, celException, celVerdicts} from '../cel-policies/testing/cel-engines.js';
import type {JsonObject} from '../json/types.js';
import {pod, requestOf} from '../testing/requests.js';
import {imageEngine, imagePolicy, keys, off, signedByAlice, signers} from './testing/policies.js';
import {type TestImage, testImageSource} from './testing/image-source.js';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const images: Readonly<Record<string, TestImage>> = {
  'r.io/signed:1': {digest: digest('a'), signers: [keys.alice]},
  [`r.io/signed:1@${digest('a')}`]: {digest: digest('a'), signers: [keys.alice]},
  'r.io/both:1': {digest: digest('b'), signers: [keys.alice, keys.bob]},
  'r.io/unsigned:1': {digest: digest('c')},
  'r.io/attested:1': {
    digest: digest('d'),
    signers: [keys.alice],
    attestations: {'https://slsa.dev/v1': {signers: [keys.alice], statement: {predicate: {builder: 'ci', runs: 3}}}},
    data: {config: {architecture: 'arm64'}},
  },
};

function podOf(...names: readonly string[]): JsonObject {
  return pod('a', {spec: {containers: names.map((image, index) => ({name: `c${index}`, image}))}});
}

async function verdicts(spec: string, object: JsonObject, more: readonly JsonObject[] = [], source = testImageSource(images)) {
  return celVerdicts(imageEngine([imagePolicy(`{${spec}}`), ...more], source), requestOf({object}));
}

const check = `${signers}, ${off}, ${signedByAlice}`;

describe.each([false, true])('verdicts of a policy on images, answers later: %s', later => {
  const judged = (spec: string, ...names: readonly string[]) =>
    verdicts(spec, podOf(...names), [], testImageSource(images, {later, unreachable: ['r.io/down:1'], uncached: ['r.io/cold:1']}));
  const asks = (expression: string, more = '') => `${signers}, ${off}${more}, validations: [{expression: ${JSON.stringify(expression)}}]`;
  const attestation = ', attestations: [{name: slsa, intoto: {type: "https://slsa.dev/v1"}}]';

  it.each<[what: string, spec: string, images: readonly string[], verdicts: readonly string[]]>([
    ['signed', check, ['r.io/signed:1'], ['p pass success']],
    ['unsigned', check, ['r.io/unsigned:1'], ['p fail not signed by alice']],
    ['one of two', check, ['r.io/signed:1', 'r.io/unsigned:1'], ['p fail not signed by alice']],
    ['unknown to the registry', check, ['r.io/none:1'], ['p fail not signed by alice']],
    [
      'the registry does not answer',
      check,
      ['r.io/down:1'],
      ['evaluation error failed to evaluate policy: image r.io/down:1: attestor alice: connection refused'],
    ],
    [
      'without a message the reason is told',
      asks('images.containers.all(i, verifyImageSignatures(i, [attestors.bob]) > 0)'),
      ['r.io/signed:1'],
      ['p fail CEL expression validation failed at index 0: image r.io/signed:1: attestor bob: no signature found'],
    ],
    ['counts who signed', asks('verifyImageSignatures(images.containers[0], [attestors.alice, attestors.bob]) == 2'), ['r.io/both:1'], ['p pass success']],
    ['one of two signed', asks('verifyImageSignatures(images.containers[0], [attestors.alice, attestors.bob]) == 1'), ['r.io/signed:1'], ['p pass success']],
    ['"nobody signed" is not said of who cannot be asked', asks('verifyImageSignatures(images.containers[0], [attestors.alice]) == 0'), ['r.io/down:1'], ['evaluation error failed to evaluate policy: image r.io/down:1: attestor alice: connection refused']],
    ['no attestors', asks('verifyImageSignatures(images.containers[0], []) == 0'), ['r.io/signed:1'], ['p pass success']],
    ['what is no attestor', asks('verifyImageSignatures(images.containers[0], ["alice"]) == 0'), ['r.io/signed:1'], ['evaluation error failed to evaluate policy: expected a list of attestors, such as [attestors.name]']],
    ['images that are not meant', `${check}, matchImageReferences: [{glob: "q.io/*"}]`, ['r.io/unsigned:1'], ['p pass success']],
    ['by expression', `${check}, matchImageReferences: [{expression: 'image(ref).registry() == "r.io"'}]`, ['r.io/unsigned:1'], ['p fail not signed by alice']],
    ['a registry in other letters', `${check}, matchImageReferences: [{glob: "r.io/*"}]`, ['R.io/unsigned:1'], ['p fail not signed by alice']],
    ['a digest beside the tag', `${check}, matchImageReferences: [{glob: "r.io/unsigned:1"}]`, [`r.io/unsigned:1@${digest('e')}`], ['p fail not signed by alice']],
    ['asked about one that is not meant', `${signers}, ${off}, matchImageReferences: [{glob: "q.io/*"}], validations: [{expression: 'verifyImageSignatures("r.io/signed:1", [attestors.alice]) == 0'}]`, ['r.io/signed:1'], ['p pass success']],
    ['an attestation', asks('images.containers.all(i, verifyAttestationSignatures(i, attestations.slsa, [attestors.alice]) > 0 && extractPayload(i, attestations.slsa).predicate.builder == "ci")', attestation), ['r.io/attested:1'], ['p pass success']],
    ['its numbers are doubles', asks('verifyAttestationSignatures(images.containers[0], "slsa", [attestors.alice]) == 1 && type(extractPayload(images.containers[0], "slsa").predicate.runs) == double', attestation), ['r.io/attested:1'], ['p pass success']],
    ['attested by another', asks('verifyAttestationSignatures(images.containers[0], "slsa", [attestors.bob]) > 0', attestation), ['r.io/attested:1'], ['p fail CEL expression validation failed at index 0: image r.io/attested:1: attestor bob: no attestation found']],
    ['attested as nothing of the kind', asks('verifyAttestationSignatures(images.containers[0], "slsa", [attestors.alice]) > 0', attestation), ['r.io/signed:1'], ['p fail CEL expression validation failed at index 0: image r.io/signed:1: attestor alice: required predicate type https://slsa.dev/v1 not found, found []']],
    ['a payload before it is verified', asks('extractPayload(images.containers[0], "slsa").predicate.builder == "ci"', attestation), ['r.io/attested:1'], ['evaluation error failed to evaluate policy: failed to get payload: intoto attestation payload cannot be fetch before verifying intoto attestation']],
    ['an attestation that is not the policy\'s', asks('verifyAttestationSignatures(images.containers[0], "other", [attestors.alice]) > 0', attestation), ['r.io/attested:1'], ['evaluation error failed to evaluate policy: attestation not found in policy: other']],
    ['a descriptor', asks('getImageData(images.containers[0]).config.architecture == "arm64" && image.GetMetadata(images.containers[0]).config.architecture == "arm64"'), ['r.io/attested:1'], ['p pass success']],
    ['a descriptor that is not to be had', asks('getImageData(images.containers[0]).config.architecture == "arm64"'), ['r.io/down:1'], ['evaluation error failed to evaluate policy: failed to get imagedata: connection refused']],
    ['without a digest', `${signers}, validationConfigurations: {required: false}, validations: [{expression: "true"}]`, ['r.io/signed:1'], ['p fail image r.io/signed:1 does not have a digest']],
    ['unsigned goes before without a digest', `${signers}, ${signedByAlice}`, ['r.io/unsigned:1'], ['p fail not signed by alice']],
    ['with a digest', `${signers}, ${signedByAlice}`, [`r.io/signed:1@${digest('a')}`], ['p pass success']],
    ['not looked at, though that is asked for', `${signers}, validationConfigurations: {verifyDigest: false}, validations: [{expression: "true"}]`, ['r.io/signed:1'], ['p fail image r.io/signed:1 is not verified: no policy performed a signature or attestation check on it']],
    ['looked at in vain', `${signers}, validationConfigurations: {verifyDigest: false}, validations: [{expression: 'verifyImageSignatures(images.containers[0], [attestors.bob]) >= 0'}]`, ['r.io/signed:1'], ['p fail image r.io/signed:1 failed signature or attestation verification']],
    ['conditions that do not hold', `${check}, matchConditions: [{name: c, expression: "false"}]`, ['r.io/unsigned:1'], []],
    ['conditions that cannot be judged', `${check}, matchConditions: [{name: c, expression: "object.nope == 1"}]`, ['r.io/signed:1'], ['evaluation error failed to evaluate policy: no such key: nope']],
    ['nor under failure policy Ignore', `failurePolicy: Ignore, ${check}, matchConditions: [{name: c, expression: "object.nope == 1"}]`, ['r.io/unsigned:1'], []],
    ['nothing is cached', check, ['r.io/cold:1'], ['p skip image r.io/cold:1: attestor alice: not cached']],
    ['images from elsewhere', `${signers}, ${off}, images: [{name: more, expression: '[object.metadata.name + ".io/x:1"]'}], validations: [{expression: 'images.more == ["a.io/x:1"] && images.initContainers == []'}]`, ['r.io/signed:1'], ['p pass success']],
    ['images that are no list', `${signers}, ${off}, images: [{name: more, expression: 'object.metadata.name'}], validations: [{expression: 'images.more.size() > 0'}]`, ['r.io/signed:1'], ['evaluation error failed to evaluate policy: images.more: the expression comes to no list of texts']],
    ['variables read images', `${signers}, ${off}, variables: [{name: many, expression: "images.containers.size()"}], validations: [{expression: "variables.many == 2"}]`, ['a:1', 'b:1'], ['p pass success']],
  ])('%s', async (_what, spec, names, wanted) => {
    expect(await judged(spec, ...names)).toEqual(wanted);
  });
});

describe('attestors', () => {
  const keyless = (identity: string) =>
    `attestors: [{name: ci, cosign: {keyless: {identities: [${identity}]}}}], ${off}, validations: [{expression: "verifyImageSignatures('r.io/signed:1', [attestors.ci]) > 0"}]`;

  async function asked(spec: string) {
    const source = testImageSource(images);
    const found = await verdicts(spec, podOf('r.io/signed:1'), [], source);
    return {signer: source.queries[0]?.attestor?.signer, attestor: source.queries[0]?.attestor, access: source.accesses[0], found};
  }

  it.each<[identity: string, wanted: unknown]>([
    ['{issuer: i, subject: s}', {issuer: {kind: 'exact', text: 'i'}, subject: {kind: 'exact', text: 's'}}],
    ['{issuer: "https://*", subject: "s?"}', {issuer: {kind: 'wildcard', text: 'https://*'}, subject: {kind: 'wildcard', text: 's?'}}],
    ['{issuerRegExp: "^i$", subjectRegExp: "^s"}', {issuer: {kind: 'regexp', text: '^i$'}, subject: {kind: 'regexp', text: '^s'}}],
    ['{issuer: i, subjectExpression: "\'^\' + object.metadata.name + \'$\'"}', {issuer: {kind: 'exact', text: 'i'}, subject: {kind: 'regexp', text: '^a$'}}],
  ])('an identity %s', async (identity, wanted) => {
    const {signer} = await asked(keyless(identity));
    expect(signer).toEqual({type: 'keyless', identities: [wanted], roots: undefined, additionalExtensions: {}});
  });

  it('an expression that comes to nothing asks for nobody, not for anybody', async () => {
    const {found} = await asked(keyless('{issuer: i, subjectExpression: "\'\'"}'));
    expect(found).toEqual(['evaluation error failed to evaluate policy: attestor ci: cosign.keyless.identities[0].subjectExpression: it comes to an empty text, which is found anywhere']);
  });

  it('a key that an expression finds, once it is asked for', async () => {
    const spec = (expression: string, asks: string) => `attestors: [{name: k, cosign: {key: {expression: ${JSON.stringify(expression)}}}}], ${off}, validations: [{expression: ${JSON.stringify(asks)}}]`;
    expect((await asked(spec('object.nope.key', 'attestors.size() == 1'))).found).toEqual(['p pass success']);
    const {found} = await asked(spec('object.nope.key', 'verifyImageSignatures("r.io/signed:1", [attestors.k]) > 0'));
    expect(found).toEqual(['evaluation error failed to evaluate policy: attestor k: cosign.key.expression: no such key: nope']);
    const given = (await asked(spec(JSON.stringify(keys.alice), 'verifyImageSignatures("r.io/signed:1", [attestors.k]) > 0'))).found;
    expect(given).toEqual(['p pass success']);
    const wrong = (await asked(spec('"no key"', 'verifyImageSignatures("r.io/signed:1", [attestors.k]) > 0'))).found;
    expect(wrong).toEqual(['evaluation error failed to evaluate policy: attestor k: cosign.key: no PEM block of a public key in it']);
  });

  it('everything that is written of a cosign attestor arrives', async () => {
    const root = Buffer.from('{"signed":{}}').toString('base64');
    const {attestor} = await asked(
      `attestors: [{name: k, cosign: {key: {data: ${JSON.stringify(keys.alice)}, hashAlgorithm: sha512}, source: {repository: r.io/sigs, tagPrefix: x-, PullSecrets: [{name: s}]},
        ctlog: {url: "https://rekor", rekorPubKey: ${JSON.stringify(keys.bob)}, insecureIgnoreTlog: true, insecureIgnoreSCT: true, ctLogPubKey: ${JSON.stringify(keys.bob)}},
        tuf: {mirror: "https://tuf", root: {data: ${root}}}, annotations: {env: prod}, trustedRoot: {expression: "'{\\"a\\":' + '1}'"}}}], ${off},
        validations: [{expression: "verifyImageSignatures('r.io/signed:1', [attestors.k]) > 0"}]`,
    );
    expect(attestor).toEqual({
      signer: {type: 'key', publicKey: keys.alice, hash: 'sha512'},
      transparency: {
        rekorUrl: 'https://rekor',
        rekorPublicKey: keys.bob,
        ignoreTlog: true,
        ignoreSct: true,
        ctlogPublicKey: keys.bob,
        tsaCertChain: undefined,
        trustedRoot: '{"a":1}',
        tuf: {mirror: 'https://tuf', root: '{"signed":{}}', rootPath: undefined},
      },
      annotations: {env: 'prod'},
      repository: 'r.io/sigs',
      tagPrefix: 'x-',
      pullSecrets: [{namespace: 'kyverno', name: 's'}],
    });
  });

  it("registries are asked with the policy's Secrets, then the Pod's", async () => {
    const source = testImageSource(images);
    const spec = `{${check}, credentials: {secrets: [a, other/b], providers: [github], allowInsecureRegistry: true}}`;
    const object = pod('a', {spec: {imagePullSecrets: [{name: 'p'}], containers: [{name: 'c', image: 'r.io/signed:1'}]}});
    await celVerdicts(imageEngine([imagePolicy(spec)], source), requestOf({object}));
    expect(source.accesses[0]).toEqual({
      secrets: [{namespace: 'kyverno', name: 'a'}, {namespace: 'other', name: 'b'}, {namespace: 'default', name: 'p'}],
      providers: ['github'],
      allowInsecureRegistry: true,
    });
  });

  it("a policy of a namespace uses that namespace's Secrets", async () => {
    const source = testImageSource(images);
    const spec = `{${check}, credentials: {secrets: [a]}}`;
    const found = await celVerdicts(imageEngine([imagePolicy(spec, {}, 'NamespacedImageValidatingPolicy')], source), requestOf({object: podOf('r.io/signed:1')}));
    expect(found).toEqual(['p pass success']);
    expect(source.accesses[0]?.secrets).toEqual([{namespace: 'default', name: 'a'}]);
  });
});

describe('what one look leaves for the next', () => {
  it('all images are asked about at once', async () => {
    const source = testImageSource(images, {later: true});
    await verdicts(check, podOf('r.io/signed:1', 'r.io/both:1', 'r.io/unsigned:1'), [], source);
    expect(source.calls).toHaveLength(3);
  });

  it('a tag that moves meanwhile is no pass', async () => {
    const spec = asksTwice();
    const source = testImageSource(images);
    let looks = 0;
    const moving = {...source, verifySignature: () => ({digest: digest(looks++ === 0 ? 'a' : 'b')})};
    const found = await celVerdicts(imageEngine([imagePolicy(spec)], moving), requestOf({object: podOf('r.io/signed:1')}));
    expect(found).toEqual([`evaluation error failed to evaluate policy: image r.io/signed:1: the tag moved from ${digest('a')} to ${digest('b')} while it was verified`]);
  });

  it('a signature for another digest than the one that is named is no pass', async () => {
    const source = {...testImageSource(images), verifySignature: () => ({digest: digest('b')})};
    const found = await celVerdicts(imageEngine([imagePolicy(`{${check}}`)], source), requestOf({object: podOf(`r.io/signed:1@${digest('a')}`)}));
    expect(found).toEqual([`evaluation error failed to evaluate policy: image r.io/signed:1@${digest('a')}: what was verified has the digest ${digest('b')}`]);
  });

  it('one policy verifies for all that only ask for it', async () => {
    const asking = imagePolicy(`{${signers}, validationConfigurations: {verifyDigest: false}, validations: [{expression: "true"}]}`, {name: 'asking'});
    const verifying = imagePolicy(`{${check}}`, {name: 'verifying'});
    const judged = (...policies: readonly JsonObject[]) => celVerdicts(imageEngine(policies, testImageSource(images)), requestOf({object: podOf('r.io/signed:1')}));
    expect(await judged(asking, verifying)).toEqual(['asking pass success', 'verifying pass success']);
    expect(await judged(asking)).toEqual(['asking fail image r.io/signed:1 is not verified: no policy performed a signature or attestation check on it']);
  });
});

function asksTwice(): string {
  return `{${signers}, ${off}, validations: [{expression: "verifyImageSignatures(images.containers[0], [attestors.alice]) > 0"}, {expression: "verifyImageSignatures(images.containers[0], [attestors.bob]) > 0"}]}`;
}

describe('exceptions', () => {
  const exception = (spec: string) => celException(`{policyRefs: [{name: p, kind: ImageValidatingPolicy}], ${spec}}`);
  const freed = 'exception skip rule is skipped due to policy exception: kyverno/e';

  it.each<[what: string, exception: string, images: readonly string[], verdicts: readonly string[]]>([
    ['as a whole', 'matchConditions: [{name: c, expression: "object.metadata.name == \'a\'"}]', ['r.io/unsigned:1'], [freed]],
    ['not for others', 'matchConditions: [{name: c, expression: "object.metadata.name == \'b\'"}]', ['r.io/unsigned:1'], ['p fail not signed by alice']],
    ['skip is reported whatever is asked for', 'reportResult: pass', ['r.io/unsigned:1'], [freed]],
    ['one image is let through', 'images: ["r.io/unsigned:1"]', ['r.io/unsigned:1', 'r.io/signed:1'], ['p pass success']],
    ['with wildcards', 'images: ["r.io/unsigned*"]', ['r.io/unsigned:1', 'r.io/signed:1'], ['p pass success']],
    ['others are judged', 'images: ["r.io/other:1"]', ['r.io/unsigned:1'], ['p fail not signed by alice']],
    ['all that there are', 'images: ["r.io/unsigned:1"]', ['r.io/unsigned:1'], [freed]],
    ['not what only has the tag of it', 'images: ["r.io/unsigned:1"]', [`r.io/unsigned:1@${digest('e')}`], ['p fail not signed by alice']],
  ])('%s', async (_what, spec, names, wanted) => {
    expect(await verdicts(check, podOf(...names), [exception(spec)])).toEqual(wanted);
  });

  it('one that names the image in an expression is let through, too', async () => {
    const spec = `${signers}, ${off}, validations: [{expression: "object.spec.containers.all(c, verifyImageSignatures(c.image, [attestors.alice]) > 0)"}]`;
    const found = await verdicts(spec, podOf('r.io/unsigned:1', 'r.io/signed:1'), [exception('images: ["r.io/unsigned:1"]')]);
    expect(found).toEqual(['p pass success']);
  });
});

describe('other ways to be asked', () => {
  it('a payload, whose images the policy names itself', async () => {
    const spec = `{evaluation: {mode: JSON}, ${signers}, ${off}, images: [{name: base, expression: "object.stages.map(s, string(s.from))"}],
      validations: [{expression: "images.base.all(i, verifyImageSignatures(i, [attestors.alice]) > 0)", message: not signed by alice}]}`;
    const engine = imageEngine([imagePolicy(spec)], testImageSource(images));
    const judged = async (from: string) => {
      const {results} = await engine.validatePayload({stages: [{from}]}, call);
      return results.flatMap(({rules}) => rules.map(({rule, status, message}) => `${rule} ${status} ${message}`));
    };
    expect(await judged('r.io/signed:1')).toEqual(['p pass success']);
    expect(await judged('r.io/unsigned:1')).toEqual(['p fail not signed by alice']);
    expect(await celVerdicts(engine, requestOf({object: podOf('r.io/unsigned:1')}))).toEqual([]);
  });

  it('Pods inside of a kind of its own', async () => {
    const template = (image: string) => ({name: 'w', template: {spec: {template: {spec: {containers: [{name: 'c', image}]}}}}});
    const object = (...names: readonly string[]): JsonObject => ({
      apiVersion: 'jobset.x-k8s.io/v1alpha2',
      kind: 'JobSet',
      metadata: {name: 'w', namespace: 'default'},
      spec: {replicatedJobs: names.map(template)},
    });
    const spec = `${check}, autogen: {podControllers: {controllers: [jobsets.v1alpha2.jobset.x-k8s.io]}}`;
    expect(await verdicts(spec, object('r.io/signed:1', 'r.io/both:1'))).toEqual(['p pass success']);
    expect(await verdicts(spec, object('r.io/signed:1', 'r.io/unsigned:1'))).toEqual([
      'p fail not signed by alice (pod template at spec.replicatedJobs[1].template.spec.template)',
    ]);
  });

  it.each([
    ['Deployment', {template: {spec: {containers: [{name: 'c', image: 'r.io/unsigned:1'}]}}}, 'apps/v1'],
    ['CronJob', {jobTemplate: {spec: {template: {spec: {containers: [{name: 'c', image: 'r.io/unsigned:1'}]}}}}}, 'batch/v1'],
  ])('what makes Pods: %s', async (kind, spec, apiVersion) => {
    const object: JsonObject = {apiVersion, kind, metadata: {name: 'w', namespace: 'default'}, spec};
    expect(await verdicts(check, object)).toEqual(['p fail not signed by alice']);
  });

  it('an ephemeral container that comes later', async () => {
    const object = pod('a', {spec: {containers: [{name: 'c', image: 'r.io/signed:1'}], ephemeralContainers: [{name: 'e', image: 'r.io/unsigned:1'}]}});
    const rule = '{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [pods/ephemeralcontainers]}';
    const spec = `${signers}, ${off}, matchConstraints: {resourceRules: [${rule}]}, validations: [{expression: "images.ephemeralContainers.all(i, verifyImageSignatures(i, [attestors.alice]) > 0)", message: not signed by alice}]`;
    const engine = imageEngine([imagePolicy(`{${spec}}`)], testImageSource(images));
    const request = requestOf({object, oldObject: pod('a'), subResource: 'ephemeralcontainers'});
    expect(await celVerdicts(engine, request)).toEqual(['p fail not signed by alice']);
  });

  it.each<[fetchImages: boolean, cacheOnly: true | undefined]>([
    [false, true],
    [true, undefined],
  ])('a scan that may fetch: %s', async (fetchImages, cacheOnly) => {
    const source = testImageSource(images);
    await celVerdicts(imageEngine([imagePolicy(`{${check}}`)], source), requestOf({object: podOf('r.io/signed:1'), user: null}), {phase: 'background', fetchImages});
    expect(source.options[0]?.cacheOnly).toBe(cacheOnly);
  });

  it('a policy that is broken leaves others and the request alone', async () => {
    const source = {...testImageSource(images), verifySignature: () => { throw new TypeError('a bug'); }};
    const found = await celVerdicts(imageEngine([imagePolicy(`{${check}}`), imagePolicy(`{${signers}, ${off}, validations: [{expression: "true"}]}`, {name: 'q'})], source), requestOf({object: podOf('r.io/signed:1')}));
    expect(found).toEqual(['evaluation error failed to evaluate policy: a bug', 'q pass success']);
  });

  it.each<[what: string, spec: JsonObject]>([
    ['a number', {containers: [{name: 'c', image: 1}]}],
    ['a list', {containers: [{name: 'c', image: ['r.io/signed:1']}]}],
  ])('an image that is %s is an error', async (_what, spec) => {
    expect(await verdicts(check, pod('a', {spec}))).toEqual(['evaluation error failed to evaluate policy: containers[0].image is no text']);
  });
});
