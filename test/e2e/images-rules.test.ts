import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {firstRoot, startTufServer, tufRepository, type TufServer} from '../../adapters/images/testing/tuf-repository.js';
import {eventually} from '../cluster/eventually.js';
import {address} from '../images/address.js';
import {attachNotation} from '../images/attach.js';
import {addAttestedImages, type AttestedWorld, identities, issuer, types} from '../images/attested-world.js';
import {notationSign} from '../images/notation.js';
import {pushImage} from '../images/push.js';
import {type Registries, startRegistries} from '../images/registries.js';
import {startTokenService, type TokenService} from '../images/token-service.js';
import {createImagesWorld, envelopes, type ImagesWorld} from '../images/world.js';
import {admit} from './support/admitted.js';
import {deploymentOf, podOf} from './support/image-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {dropAll, pathOf, put, type Thing, verdictOf, write} from './support/policies.js';

/** Rules of kind verifyImages as users write them, each on images of its own: who is admitted, with what, and what is written down. */
let world: ImagesWorld;
let attested: AttestedWorld;
let operator: OperatorCluster;
let tuf: TufServer;

beforeAll(async () => {
  world = await createImagesWorld();
  attested = await addAttestedImages(world);
  tuf = await startTufServer(tufRepository({target: Buffer.from(JSON.stringify(attested.keyless.trustedRoot))}), address);
  const trust = ['--enableTuf=true', `--tufMirror=${tuf.url}`, `--tufRootRaw=${firstRoot.toString('base64')}`];
  operator = await startOperatorCluster({args: ['--allowInsecureRegistry=true', '--backgroundScanImages=true', ...trust]});
  await createNamespaces(operator, ['shop', 'signed', 'loose']);
});
afterAll(async () => {
  await operator?.stop();
  await tuf?.close();
  await world?.stop();
});
afterEach(() => dropAll(operator));

const noLogs = {rekor: {url: 'https://rekor.acme.test', ignoreTlog: true}, ctlog: {ignoreSCT: true}};
const plain = {imageRegistryCredentials: {allowInsecureRegistry: true}};
const keyed = (publicKeys: string = world.keys.right.publicKey) => ({keys: {publicKeys, ...noLogs}});
const keyless = (subject: object) => ({
  keyless: {issuer, ...subject, roots: attested.keyless.roots, rekor: {url: 'https://rekor.acme.test', pubkey: attested.keyless.rekorKey}, ctlog: {ignoreSCT: true}},
});
const by = (...entries: readonly object[]) => [{entries}];
const tagged = (name: string) => `${world.hosts.tags}/tag/${name}:v1`;
const pinned = (name: string) => `${tagged(name)}@${world.images.get(`tag/${name}`)?.digest}`;
const everything = () => `${world.hosts.tags}/*`;

interface RuleOptions {
  readonly kinds?: readonly string[];
  readonly rule?: object;
  readonly spec?: object;
}

function ruleOf(name: string, entry: object, {kinds = ['Pod'], rule = {}}: RuleOptions = {}): object {
  return {name, match: {any: [{resources: {kinds}}]}, verifyImages: [{failureAction: 'Enforce', ...plain, ...entry}], ...rule};
}

function policyOf(name: string, rules: readonly object[], {spec = {}, autogen = true}: {readonly spec?: object; readonly autogen?: boolean} = {}): Thing {
  const annotations = autogen ? undefined : {'pod-policies.kyverno.io/autogen-controllers': 'none'};
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name, ...(annotations && {annotations})}, spec: {background: false, webhookConfiguration: {timeoutSeconds: 30}, rules, ...spec}};
}

const one = (entry: object, options: RuleOptions = {}) => policyOf('signed', [ruleOf('signed', entry, options)], {...(options.spec && {spec: options.spec})});
const configMap = (name: string, data: Readonly<Record<string, string>>, namespace = 'shop'): Thing => ({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name, namespace}, ...({data} as object)});
const fromConfigMap = (name: string) => ({context: [{name: 'keys', configMap: {name, namespace: 'shop'}}]});
const record = 'kyverno.io/verify-images';

async function admitted(image: string, name = 'app', more: Parameters<typeof podOf>[2] = {}) {
  return admit(operator, podOf(name, image, more));
}

describe('keys', () => {
  it('of two rules are asked for by each about its own images', async () => {
    const elsewhere = ruleOf('second', {imageReferences: ['my.local.repo/*'], attestors: by(keyed(world.keys.wrong.publicKey)), mutateDigest: false, verifyDigest: false});
    await put(operator, [policyOf('two', [ruleOf('first', {imageReferences: [everything()], attestors: by(keyed())}), elsewhere])]);
    const found = await admitted(tagged('signed'));
    expect(found, found.message).toMatchObject({allowed: true, image: pinned('signed')});
  });

  it('stand in ConfigMaps, blanks around them or not', async () => {
    await write(operator, configMap('keys', {padded: `${world.keys.right.publicKey}    `}));
    await put(operator, [policyOf('keys', [ruleOf('r', {image: everything(), key: '{{ keys.data.padded }}', ...plain}, {rule: fromConfigMap('keys')})])]);
    // The older form asks for an entry of the log.
    expect((await admitted(tagged('signed'))).message).toContain('no entry of a transparency log');
    await put(operator, [policyOf('keys', [ruleOf('r', {imageReferences: [everything()], attestors: by(keyed('{{ keys.data.padded }}'))}, {rule: fromConfigMap('keys')})])]);
    const found = await admitted(tagged('signed'));
    expect(found, found.message).toMatchObject({allowed: true, image: pinned('signed')});
    expect((await admitted(tagged('wrong'))).allowed).toBe(false);
  });

  it('that are nowhere deny what they are asked about, and nothing else', async () => {
    const audit = {imageReferences: [everything()], mutateDigest: false, verifyDigest: false, failureAction: 'Audit', attestors: by(keyed('{{ keys.data.key }}'))};
    await put(operator, [policyOf('lost', [ruleOf('r', audit, {rule: fromConfigMap('lost')})], {autogen: false, spec: {failurePolicy: 'Fail'}})]);
    expect((await admitted('registry.example.test/app:v1')).allowed).toBe(true);
    expect((await admitted(tagged('signed'))).allowed).toBe(false);
    await write(operator, configMap('lost', {key: world.keys.right.publicKey}));
    await eventually(async () => (await admitted(tagged('signed'))).allowed, {what: 'the key is found', timeoutMs: 60_000});
  });

  it.each([
    ['failurePolicy', {failurePolicy: 'Ignore', webhookTimeoutSeconds: 30, webhookConfiguration: undefined}],
    ['webhookConfiguration.failurePolicy', {webhookConfiguration: {failurePolicy: 'Ignore', timeoutSeconds: 30}}],
  ])('that are nowhere deny nothing where failures are ignored by %s', async (_, spec) => {
    const audit = {imageReferences: [everything()], mutateDigest: false, verifyDigest: false, failureAction: 'Audit', attestors: by(keyed('{{ keys.data.key }}'))};
    await put(operator, [policyOf('lost', [ruleOf('r', audit, {rule: fromConfigMap('never')})], {autogen: false, spec})]);
    const found = await admitted(tagged('signed'));
    expect(found.allowed, found.message).toBe(true);
  });

  it('are asked for in the namespaces that a selector means', async () => {
    for (const [name, signed] of [['signed', 'true'], ['loose', 'false']] as const) {
      await operator.cluster.request('PATCH', `/api/v1/namespaces/${name}`, {metadata: {labels: {signed}}}, {contentType: 'application/merge-patch+json'});
    }
    const match = {all: [{resources: {kinds: ['Pod'], namespaceSelector: {matchExpressions: [{key: 'signed', operator: 'In', values: ['true']}]}}}]};
    await put(operator, [one({imageReferences: [everything()], attestors: by(keyed())}, {rule: {match}})]);
    const into = (image: string, namespace: string) => admitted(image, 'app', {namespace});
    expect((await into(tagged('signed'), 'signed')).allowed).toBe(true);
    expect((await into(tagged('unsigned'), 'signed')).allowed).toBe(false);
    expect((await into(tagged('unsigned'), 'loose')).allowed).toBe(true);
  });
});

describe('images', () => {
  it('that are blank are not judged', async () => {
    await put(operator, [one({imageReferences: ['*'], attestors: by(keyed())})]);
    const found = await admit(operator, deploymentOf('blank', ' '));
    expect(found.allowed, found.message).toBe(true);
  });

  it('are those that another policy has put in', async () => {
    const patch = {spec: {containers: [{'(name)': 'c', image: tagged('signed')}]}};
    const mutation = {name: 'replace', match: {any: [{resources: {kinds: ['Pod']}}]}, mutate: {patchStrategicMerge: patch}};
    await put(operator, [one({imageReferences: [everything()], attestors: by(keyed())}), policyOf('replace', [mutation])]);
    const found = await admitted(tagged('unsigned'));
    expect(found, found.message).toMatchObject({allowed: true, image: pinned('signed')});
  });

  it('of skipImageReferences are let through, those beside them are not', async () => {
    const entry = {type: 'Notary', imageReferences: [`${world.hosts.referrers}/*`], skipImageReferences: [`${world.hosts.referrers}/jws/unsigned*`], attestors: [{count: 1, entries: [{certificates: {cert: world.notation.authorities['trusted']}}]}]};
    await put(operator, [one(entry)]);
    const at = (name: string) => `${world.hosts.referrers}/jws/${name}:v1`;
    const skipped = `${at('unsigned')}@${world.images.get('jws/unsigned')?.digest}`;
    expect((await admitted(at('signed'))).allowed).toBe(true);
    expect((await admitted(skipped)).allowed).toBe(true);
    const both: Thing = {...podOf('both', skipped), spec: {containers: [{name: 'a', image: skipped}, {name: 'b', image: at('wrong')}]}};
    expect((await admit(operator, both)).allowed).toBe(false);
  });

  it('have to carry a digest where only that is asked', async () => {
    await put(operator, [one({imageReferences: [everything()], mutateDigest: false, required: false, verifyDigest: true})]);
    const found = await admitted(pinned('unsigned'));
    expect(found, found.message).toMatchObject({allowed: true, image: pinned('unsigned')});
    expect((await admitted(tagged('unsigned'))).message).toContain('missing digest');
  });

  it.each([true, false])('stay as they are where no digest is asked, and are written down (required: %s)', async required => {
    const {places} = attested;
    await put(operator, [one({imageReferences: [`${places.attested}*`], attestors: by(keyless({subject: `${identities.releaser.slice(0, -5)}*`})), mutateDigest: false, verifyDigest: false, required})]);
    const found = await admitted(places.attested);
    expect(found, found.message).toMatchObject({allowed: true, image: places.attested, annotations: {[record]: JSON.stringify({[`${places.attested}:latest`]: 'pass'})}});
  });

  it('of a Deployment are judged anew when it is rolled back', async () => {
    const target = {host: world.hosts.tags, repository: 'acme/rollback'};
    const at = (tag: string) => `${target.host}/${target.repository}:${tag}`;
    const digests: string[] = [];
    for (const tag of ['one', 'two']) {
      const {digest} = await pushImage(target, {tag});
      digests.push(digest);
      await world.cosign.sign({format: 'tag', image: `${target.host}/${target.repository}@${digest}`, key: world.keys.right});
    }
    await put(operator, [one({imageReferences: [everything()], attestors: by(keyed())}, {kinds: ['Deployment']})]);
    const deployment = deploymentOf('rolled', at('one'));
    expect((await admit(operator, deployment, {dryRun: false})).image).toBe(`${at('one')}@${digests[0]}`);
    const change = async (image: string) => {
      const spec = {template: {spec: {containers: [{name: 'c', image}]}}};
      const {status, body} = await operator.cluster.request<{spec?: {template: {spec: {containers: readonly {image: string}[]}}}}>('PATCH', pathOf(deployment), {spec}, {contentType: 'application/strategic-merge-patch+json'});
      return {status, image: body.spec?.template.spec.containers[0]?.image};
    };
    expect(await change(at('two'))).toEqual({status: 200, image: `${at('two')}@${digests[1]}`});
    // As `kubectl rollout undo` does: the template of before, digest and all.
    expect(await change(`${at('one')}@${digests[0]}`)).toEqual({status: 200, image: `${at('one')}@${digests[0]}`});
    expect((await change(tagged('unsigned'))).status).toBe(400);
  });
});

describe('identities', () => {
  it('are as many as the count wants, whoever of them it is', async () => {
    const attestors = [{count: 1, entries: [keyless({subject: 'nobody'}), keyless({subject: `${identities.releaser.slice(0, -5)}*`})]}];
    await put(operator, [one({imageReferences: [`${attested.places.attested}:*`], attestors})]);
    expect((await admitted(`${attested.places.attested}:v1`)).allowed).toBe(true);
    await put(operator, [one({imageReferences: [`${attested.places.attested}:*`], attestors: [{...attestors[0], count: 2}]})]);
    expect((await admitted(`${attested.places.attested}:v1`)).allowed).toBe(false);
  });
});

describe("the installation's own Fulcio and Rekor", () => {
  const keylessOnly = (subject: string, rekor: object) => by({keyless: {issuer, subject, rekor}});

  it('are known by its TUF repository, and the log by a ConfigMap', async () => {
    await write(operator, configMap('tufvalues', {REKOR_URL: 'https://rekor.acme.test'}));
    const context = [{name: 'tufvalues', configMap: {name: 'tufvalues', namespace: 'shop'}}];
    const rule = (subject: string) => ruleOf('r', {imageReferences: [`${attested.places.attested}*`], attestors: keylessOnly(subject, {url: '{{ tufvalues.data.REKOR_URL }}'}), required: true}, {rule: {context}});
    await put(operator, [policyOf('own', [rule(identities.releaser)])]);
    const found = await admitted(`${attested.places.attested}:v1`);
    expect(found, found.message).toMatchObject({allowed: true, image: `${attested.places.attested}:v1@${attested.digests.attested}`});
    expect(tuf.requests).toContain('/timestamp.json');
    await put(operator, [policyOf('own', [rule(identities.builder)])]);
    expect((await admitted(`${attested.places.attested}:v1`)).allowed).toBe(false);
  });

  it('are known for bundles, without the log where that is ignored', async () => {
    const attestations = [{type: types.provenance, attestors: keylessOnly(identities.builder, {url: 'https://rekor.acme.test', ignoreTlog: true})}];
    await put(operator, [policyOf('own', [ruleOf('r', {imageReferences: ['*'], type: 'SigstoreBundle', attestations})], {autogen: false})]);
    const found = await admitted(`${attested.places.bundled}:v1`);
    expect(found.allowed, found.message).toBe(true);
  });
});

describe('attestations alone', () => {
  it('sign an image where bundles are asked for', async () => {
    const keylessBy = (subject: string) => by({keyless: {issuer, subject, rekor: {url: 'https://rekor.acme.test', ignoreTlog: true}}});
    const rule = (subject: string) => policyOf('bundles', [ruleOf('r', {imageReferences: ['*'], type: 'SigstoreBundle', attestors: keylessBy(subject)})], {autogen: false});
    const image = `${attested.places.bundled}@${attested.digests.bundled}`;
    await put(operator, [rule(identities.builder)]);
    const found = await admitted(image);
    expect(found, found.message).toMatchObject({allowed: true, image});
    expect((await admitted(`${attested.places.bare}:v1`)).allowed).toBe(false);
    await put(operator, [rule(identities.releaser)]);
    expect((await admitted(image)).allowed).toBe(false);
  });
});

describe('attestations', () => {
  const {builder, scanner, releaser} = identities;
  const provenance = (...attestors: readonly object[]) => ({type: types.provenance, ...(attestors.length > 0 && {attestors})});
  const holds = (key: string) => ({conditions: [{all: [{key, operator: 'Equals', value: true}]}]});
  const built = holds(`{{ regex_match('^${builder}', '{{ builder.id }}') }}`);
  const scanned = holds("{{ regex_match('^pkg:github/acme/scanner@1.2.3', '{{ scanner.uri }}') }}");
  const subject = (text: string) => ({subject: text});

  const rows: ReadonlyArray<readonly [what: string, attestation: () => object, allowed: boolean]> = [
    ['one of two may vouch', () => provenance({count: 1, entries: [keyless(subject('nobody')), keyless(subject(builder))]}), true],
    ['by expressions', () => provenance({count: 1, entries: [keyless({subject: undefined, issuer: undefined, subjectRegExp: 'https://github\\.com/acme/app/\\.github/workflows/build\\.yml@.+', issuerRegExp: 'https://token\\.acme.+'})]}), true],
    ['by the older name of the type, its condition holds', () => ({predicateType: types.scan, attestors: by(keyless(subject(scanner))), ...scanned}), true],
    ['by somebody who made another one', () => ({predicateType: types.scan, attestors: by(keyless(subject(builder))), ...scanned}), false],
    ['by anybody, its condition holds', () => ({...provenance(), ...built}), true],
    ['one of two, with a condition', () => ({...provenance({count: 1, entries: [keyless(subject(builder)), keyless(subject(scanner))]}), ...built}), true],
    ['two of two, of whom one made it', () => ({...provenance({count: 2, entries: [keyless(subject(builder)), keyless(subject(scanner))]}), ...built}), false],
    ['all of two, of whom one made it', () => ({...provenance({entries: [keyless(subject(builder)), keyless(subject(scanner))]}), ...built}), false],
    ['its condition does not hold', () => ({...provenance(), ...holds(`{{ regex_match('^${releaser}', '{{ builder.id }}') }}`)}), false],
    ['of a type that is not there', () => ({type: 'https://acme.test/none', attestors: by(keyless(subject(builder)))}), false],
  ];
  it.each(rows)('%s', async (_, attestation, allowed) => {
    const {places, digests} = attested;
    await put(operator, [one({imageReferences: [`${places.attested}*`], attestations: [attestation()]})]);
    const found = await admitted(`${places.attested}:v1`);
    expect(found.allowed, found.message).toBe(allowed);
    if (!allowed) return;
    expect(found.image).toBe(`${places.attested}:v1@${digests.attested}`);
    expect(found.annotations[record]).toBe(JSON.stringify({[`${places.attested}@${digests.attested}`]: 'pass'}));
  });

  it('stand in bundles among the referrers, too', async () => {
    const attestation = {...provenance({entries: [keyless({subject: undefined, subjectRegExp: 'https://github.com/acme/app/.github/workflows/.+'})]}), conditions: [{all: [{key: '{{ builder.id }}', operator: 'Equals', value: builder}]}]};
    await put(operator, [policyOf('bundles', [ruleOf('r', {imageReferences: ['*'], type: 'SigstoreBundle', attestations: [attestation]})], {autogen: false})]);
    const found = await admitted(`${attested.places.bundled}:v1`);
    expect(found.allowed, found.message).toBe(true);
    expect((await admitted(`${attested.places.bare}:v1`)).allowed).toBe(false);
  });
});

describe('artifacts that notation signed', () => {
  const attestors = () => by({certificates: {cert: '{{ keys.data.certificate }}'}});
  const artifact = (type: string, name?: string) => ({type, ...(name !== undefined && {name}), attestors: attestors()});
  const notary = (more: object) => ruleOf('r', {type: 'Notary', imageReferences: [`${attested.places.notation}*`], ...more}, {rule: fromConfigMap('notary')});
  const judge = async (more: object) => {
    await write(operator, configMap('notary', {certificate: attested.certificate}));
    await put(operator, [policyOf('artifacts', [notary(more)])]);
    return admitted(`${attested.places.notation}:v1`);
  };

  it('are judged by conditions', async () => {
    const sbom = {...artifact('sbom/cyclone-dx'), conditions: [{all: [{key: '{{ components[].licenses[].expression }}', operator: 'AllIn', value: ['GPL-3.0']}]}]};
    const scan = (type: string) => ({...artifact('scan/report'), conditions: [{all: [{key: '{{ source.type }}', operator: 'Equals', value: type}]}]});
    const found = await judge({attestations: [sbom, scan('image')]});
    expect(found.allowed, found.message).toBe(true);
    expect((await judge({attestations: [sbom, scan('folder')]})).allowed).toBe(false);
  });

  it('are held against each other by name', async () => {
    const deny = (key: string) => ({message: 'scans come after their list of parts', deny: {conditions: {any: [{key: '{{ sbom.bomFormat }}', operator: 'NotEquals', value: 'CycloneDX'}, {key, operator: 'Equals', value: false}]}}});
    const attestations = () => [artifact('sbom/cyclone-dx', 'sbom'), artifact('scan/report', 'scan')];
    const passed = await judge({attestations: attestations(), validate: deny("{{ time_after('{{ scan.descriptor.timestamp }}', '{{ sbom.metadata.timestamp }}') }}")});
    expect(passed.allowed, passed.message).toBe(true);
    const refused = await judge({attestations: attestations(), validate: deny("{{ time_after('{{ sbom.metadata.timestamp }}', '{{ scan.descriptor.timestamp }}') }}")});
    expect(refused.allowed).toBe(false);
    expect(refused.message).toContain('scans come after their list of parts');
  });

  it.each([
    ['findings/few', true],
    ['findings/more', false],
  ])('are held against what is known: %s', async (type, allowed) => {
    const conditions = {any: [{key: '{{ found.Vulnerabilities[*].VulnerabilityID }}', operator: 'AnyNotIn', value: '{{ vex.vulnerabilities[*].id }}'}]};
    const found = await judge({attestations: [artifact(type, 'found'), artifact('vex/cyclone-dx', 'vex')], validate: {message: 'a finding that nobody has judged', deny: {conditions}}});
    expect(found.allowed, found.message).toBe(allowed);
    if (!allowed) expect(found.message).toContain('a finding that nobody has judged');
  });

  it.each([
    ['of another authority', 'sbom/forged'],
    ['of nobody', 'sbom/unsigned'],
    ['signed with another one', 'sbom/swapped'],
    ['of a type that is not there', 'sbom/none'],
  ])('do not count: %s', async (_, type) => {
    expect((await judge({attestations: [artifact(type)]})).allowed).toBe(false);
  });
});

describe('a private registry', () => {
  let folder: string;
  let tokens: TokenService;
  let registries: Registries<'private'>;
  let certificate: string;
  const repository = 'acme/private';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'private-'));
    tokens = await startTokenService(folder, {robot: {password: 'pull', repositories: [repository]}});
    registries = await startRegistries([{name: 'private', kind: 'distribution', auth: tokens.auth}]);
    const {realm} = tokens.auth['token'] as {realm: string};
    const asked = await fetch(`${realm}?scope=repository:${repository}:pull,push`, {headers: {authorization: `Basic ${Buffer.from('robot:pull').toString('base64')}`}});
    const {token} = (await asked.json()) as {token: string};
    const target = {host: registries.hosts.private, repository, authorization: `Bearer ${token}`};
    const image = await pushImage(target, {tag: 'v1'});
    const mediaType = envelopes.jws;
    const answer = await notationSign(folder, [{name: 'image', authority: 'trusted', mediaType, target: image}]);
    await attachNotation(target, image, {envelope: answer.envelopes['image']!, mediaType, referrersApi: false});
    certificate = answer.authorities['trusted']!;
  });
  afterAll(async () => {
    await registries?.stop();
    await tokens?.close();
    await rm(folder, {recursive: true, force: true});
  });

  it("opens by the policy's Secret of the operator's namespace, and not before it is there", async () => {
    const entry = {type: 'Notary', imageReferences: [`${registries.hosts.private}/*`], attestors: [{count: 1, entries: [{certificates: {cert: certificate}}]}], imageRegistryCredentials: {secrets: ['regcred'], allowInsecureRegistry: true}};
    await put(operator, [one(entry)]);
    const image = `${registries.hosts.private}/${repository}:v1`;
    expect((await admitted(image)).message).toContain('regcred');
    const config = JSON.stringify({auths: {[registries.hosts.private]: {username: 'robot', password: 'pull'}}});
    const secret: Thing = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'regcred', namespace: 'kyverno'}, ...({type: 'kubernetes.io/dockerconfigjson', data: {'.dockerconfigjson': Buffer.from(config).toString('base64')}} as object)};
    await write(operator, secret);
    // That it was not there is remembered for a moment.
    await eventually(async () => (await admitted(image)).allowed, {what: 'the Secret is used', timeoutMs: 120_000, everyMs: 1000});
    await operator.cluster.request('DELETE', pathOf(secret));
  });
});

describe('what the installation says', () => {
  it('of images without a registry holds for variables, verification and digests, as soon as the ConfigMap says so', async () => {
    const config = '/api/v1/namespaces/kyverno/configmaps/kyverno';
    const set = (defaultRegistry: string | null) => operator.cluster.request('PATCH', config, {data: {defaultRegistry}}, {contentType: 'application/merge-patch+json'});
    const shown = {name: 'shown', match: {any: [{resources: {kinds: ['Pod']}}]}, mutate: {patchStrategicMerge: {metadata: {annotations: {registry: '{{ images.containers.c.registry }}'}}}}};
    await put(operator, [one({imageReferences: [everything()], attestors: by(keyed())}), policyOf('shown', [shown])]);
    try {
      await set(world.hosts.tags);
      await eventually(async () => (await admitted('tag/signed:v1')).annotations['registry'] === world.hosts.tags, {what: 'the registry of the ConfigMap', timeoutMs: 60_000});
      expect((await admitted('tag/signed:v1')).image).toBe(pinned('signed'));
      expect((await admitted('tag/unsigned:v1')).allowed).toBe(false);
    } finally {
      await set(null);
    }
    await eventually(async () => (await admitted('tag/unsigned:v1')).annotations['registry'] === 'docker.io', {what: 'the usual registry', timeoutMs: 60_000});
  });

  it.each([
    ['credentials of a provider that it has not', {imageRegistryCredentials: {providers: ['github']}}, 'no credentials of provider github (GITHUB_TOKEN is not set)'],
    ['a key of a service that it has not', {attestors: by({keys: {kms: 'awskms:///alias/release'}})}, 'no plug-in answers for keys of awskms://'],
  ])('of %s is told before anything is asked by them', async (_, entry, why) => {
    const policy = one({imageReferences: ['*'], ...entry});
    await write(operator, policy);
    expect(await verdictOf(operator, policy)).toMatchObject({status: 'False', message: expect.stringContaining(why)});
  });
});

describe('images of other kinds', () => {
  const path = '/apis/ci.acme.test/v1/namespaces/shop/tasks';
  const task = (image: string) => ({apiVersion: 'ci.acme.test/v1', kind: 'Task', metadata: {name: 'build', namespace: 'shop'}, spec: {steps: [{name: 'compile', image}]}});
  const taskPolicy = (extractor: object, entry: object): Thing =>
    policyOf('tasks', [ruleOf('r', entry, {kinds: ['ci.acme.test/v1/Task'], rule: {imageExtractors: {Task: [extractor]}, preconditions: {all: [{key: '{{ request.operation }}', operator: 'NotEquals', value: 'DELETE'}]}}})]);

  beforeAll(async () => {
    const version = {name: 'v1', served: true, storage: true, schema: {openAPIV3Schema: {type: 'object', 'x-kubernetes-preserve-unknown-fields': true}}};
    const spec = {group: 'ci.acme.test', scope: 'Namespaced', names: {kind: 'Task', plural: 'tasks', singular: 'task', listKind: 'TaskList'}, versions: [version]};
    await operator.cluster.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: {name: 'tasks.ci.acme.test'}, spec});
    await eventually(async () => (await operator.cluster.request('GET', path)).status === 200, {what: 'the kind is served', timeoutMs: 60_000});
  });

  async function create(image: string) {
    const {status, body} = await operator.cluster.request<{message?: string; spec?: {steps: readonly {image: string}[]}}>('POST', `${path}?dryRun=All`, task(image));
    return {status, message: body.message ?? '', image: body.spec?.steps[0]?.image};
  }

  it('are found by their place and name, and judged as all others', async () => {
    await put(operator, [taskPolicy({path: '/spec/steps/*', value: 'image', key: 'name', name: 'steps'}, {imageReferences: ['*'], attestors: by(keyed())})]);
    await eventually(async () => (await create(tagged('unsigned'))).status === 400, {what: 'unsigned is denied', timeoutMs: 60_000});
    const found = await create(tagged('signed'));
    expect(found, found.message).toMatchObject({status: 201, image: pinned('signed')});
  });

  it('are denied where they have to be verified and nobody is named who would', async () => {
    await put(operator, [taskPolicy({path: '/spec/steps/*', value: 'image', key: 'name', name: 'steps'}, {image: '*'})]);
    await eventually(async () => (await create(tagged('unsigned'))).message.includes('unverified image'), {what: 'the rule is asked', timeoutMs: 60_000});
    expect((await create(tagged('signed'))).status).toBe(400);
  });

  it('are found by their place alone, signed by an identity', async () => {
    const image = `${attested.places.attested}@${attested.digests.attested}`;
    await put(operator, [taskPolicy({path: '/spec/steps/*/image'}, {imageReferences: [everything()], attestors: [{count: 1, entries: [keyless({subject: 'https://github.com/*'})]}]})]);
    await eventually(async () => (await create(tagged('signed'))).status === 400, {what: 'a key is no identity', timeoutMs: 60_000});
    expect(await create(image)).toMatchObject({status: 201, image});
  });
});

describe('reports', () => {
  interface Report {
    readonly scope?: {readonly name: string};
    readonly metadata: {readonly ownerReferences?: ReadonlyArray<{readonly kind: string; readonly name: string}>; readonly labels?: Readonly<Record<string, string>>};
    readonly summary?: Readonly<Record<string, number>>;
    readonly results?: ReadonlyArray<{readonly policy: string; readonly rule?: string; readonly result: string; readonly message?: string; readonly source: string; readonly scored?: boolean}>;
  }
  const reportOf = async (name: string): Promise<Report | undefined> => {
    const {body} = await operator.cluster.request<{items: readonly Report[]}>('GET', '/apis/wgpolicyk8s.io/v1alpha2/namespaces/shop/policyreports');
    return body.items.find(({scope}) => scope?.name === name);
  };
  const audit = () => ruleOf('signed', {imageReferences: [everything()], attestors: by(keyed()), mutateDigest: false, verifyDigest: false, failureAction: 'Audit'});
  const labelled = {name: 'labelled', match: {any: [{resources: {kinds: ['Pod']}}]}, validate: {failureAction: 'Audit', message: 'a label is missing', pattern: {metadata: {labels: {foo: 'bar'}}}}};
  const told = async (name: string) => (await reportOf(name))?.results?.map(({rule, result}) => `${rule} ${result}`).sort();

  it('tell of images beside all else when an object is admitted', async () => {
    await put(operator, [policyOf('reported', [audit(), labelled], {spec: {background: true}})]);
    expect((await admit(operator, podOf('new', tagged('signed')), {dryRun: false})).allowed).toBe(true);
    await eventually(async () => (await told('new'))?.join() === 'labelled fail,signed pass', {what: 'both rules are told', timeoutMs: 90_000});
    const report = (await reportOf('new'))!;
    expect(report.metadata).toMatchObject({labels: {'app.kubernetes.io/managed-by': 'kyverno'}, ownerReferences: [{kind: 'Pod', name: 'new'}]});
    expect(report.summary).toMatchObject({error: 0, fail: 1, pass: 1, skip: 0, warn: 0});
    for (const result of report.results ?? []) expect(result).toMatchObject({policy: 'reported', source: 'kyverno', scored: true});
    expect(report.results?.find(({rule}) => rule === 'labelled')?.message).toBe('validation error: a label is missing. rule labelled failed at path /metadata/labels/');
  });

  it.each([
    ['signed', 'pass'],
    ['unsigned', 'fail'],
  ])('tell of images of objects that were there before: %s', async (image, result) => {
    expect((await admit(operator, podOf(`old-${image}`, tagged(image)), {dryRun: false})).allowed).toBe(true);
    await put(operator, [policyOf('reported', [audit()], {spec: {background: true}})]);
    await eventually(async () => (await told(`old-${image}`))?.join() === `signed ${result}`, {what: 'the scan reports', timeoutMs: 90_000});
  });
});
