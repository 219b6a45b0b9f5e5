import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {stringify} from 'yaml';
import {eventually} from '../cluster/eventually.js';
import type {CosignFormat} from '../images/cosign.js';
import {type Front, startFront} from '../images/front.js';
import {type Descriptor, pushImage} from '../images/push.js';
import {type Registries, startRegistries} from '../images/registries.js';
import {startTokenService, type TokenService} from '../images/token-service.js';
import {createImagesWorld, formats, hostOf, type ImagesWorld, scanType} from '../images/world.js';
import {program} from './support/build.js';
import {dropCel, putCel} from './support/cel-policies.js';
import {deploymentOf, imageValidatingPolicy, type ImagePolicyOptions, podOf, verifyImagesPolicy} from './support/image-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {collectionOf, dropAll, put, type Thing, write} from './support/policies.js';

let world: ImagesWorld;
let operator: OperatorCluster;

beforeAll(async () => {
  world = await createImagesWorld();
  operator = await startOperatorCluster({args: ['--allowInsecureRegistry=true']});
  await createNamespaces(operator, ['shop', 'tenant-a', 'tenant-b']);
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});
afterEach(async () => {
  await dropCel(operator);
  await dropAll(operator);
});

interface Answer {
  readonly allowed: boolean;
  readonly message: string;
  /** Image of the first container. */
  readonly image: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Workload extends Thing {
  readonly message?: string;
  readonly spec?: {readonly containers?: readonly {readonly image: string}[]; readonly template?: {readonly spec: {readonly containers: readonly {readonly image: string}[]}}};
}

/** Without a trace unless told otherwise. */
async function create(object: Thing, dryRun = true): Promise<Answer> {
  const {status, body} = await operator.cluster.request<Workload>('POST', `${collectionOf(object)}${dryRun ? '?dryRun=All' : ''}`, object);
  const containers = body.spec?.containers ?? body.spec?.template?.spec.containers ?? [];
  return {allowed: status < 300, message: body.message ?? '', image: containers[0]?.image ?? '', annotations: body.metadata?.annotations ?? {}};
}

const policies = {
  verifyImages: {make: verifyImagesPolicy, put: (policy: Thing) => put(operator, [policy])},
  ImageValidatingPolicy: {make: imageValidatingPolicy, put: (policy: Thing) => putCel(operator, [policy])},
} as const;

describe.each(Object.entries(policies))('%s', (_, {make, put: serve}) => {
  describe.each(formats)('with signatures in the format %s', format => {
    const at = (name: string) => `${hostOf(world, format)}/${format}/${name}:v1`;
    const pinned = (name: string) => `${at(name)}@${world.images.get(`${format}/${name}`)?.digest}`;
    const wanted = (more: Partial<ImagePolicyOptions> = {}): ImagePolicyOptions => ({
      name: 'signed',
      images: `${hostOf(world, format)}/*`,
      format,
      publicKey: world.keys.right.publicKey,
      ...more,
    });

    it('pins what is signed to its digest and denies everything else', async () => {
      await serve(make(wanted()));
      const admitted = await create(podOf('signed', at('signed')));
      expect(admitted, admitted.message).toMatchObject({allowed: true, image: pinned('signed')});
      for (const name of ['wrong', 'unsigned', 'tampered']) {
        const denied = await create(podOf(name, at(name)));
        expect(denied.allowed, name).toBe(false);
        expect(denied.message).toContain(at(name).replace(/:v1$/, ''));
      }
      expect(await create(podOf('elsewhere', 'registry.example.test/app:v1'))).toMatchObject({allowed: true, image: 'registry.example.test/app:v1'});
    });

    it('does so for what makes Pods', async () => {
      await serve(make(wanted()));
      const admitted = await create(deploymentOf('signed', at('signed')));
      expect(admitted, admitted.message).toMatchObject({allowed: true, image: pinned('signed')});
      expect((await create(deploymentOf('unsigned', at('unsigned')))).allowed).toBe(false);
    });

    it('asks for an attestation whose condition holds', async () => {
      await serve(make(wanted({name: 'scanned', scan: scanType})));
      const admitted = await create(podOf('attested', at('attested')));
      expect(admitted.allowed, admitted.message).toBe(true);
      for (const name of ['failing', 'signed', 'forged']) expect((await create(podOf(name, at(name)))).allowed, name).toBe(false);
    });
  });
});

describe('a record of what was verified', () => {
  it('is never taken from the user', async () => {
    await put(operator, [verifyImagesPolicy({name: 'signed', images: `${world.hosts.tags}/*`, format: 'tag', publicKey: world.keys.right.publicKey})]);
    const image = `${world.hosts.tags}/tag/unsigned:v1`;
    const annotations = {
      'kyverno.io/verify-images': JSON.stringify({[image]: 'pass'}),
      'kyverno.io/verify-images-scoped': JSON.stringify({version: 1, policies: {'/signed': {signed: {[image]: 'pass'}}}}),
    };
    expect((await create(podOf('forged', image, {annotations}))).allowed).toBe(false);
    const outside = await create(podOf('outside', 'registry.example.test/app:v1', {annotations}));
    expect(JSON.stringify(outside.annotations)).not.toContain(image);
  });
});

describe.each(Object.entries(policies))('an exception from %s', (kind, {make, put: serve}) => {
  it('lets one image through', async () => {
    const image = (name: string) => `${world.hosts.tags}/tag/${name}:v1`;
    const metadata = {name: 'unsigned', namespace: 'shop'};
    await serve(make({name: 'signed', images: `${world.hosts.tags}/*`, format: 'tag', publicKey: world.keys.right.publicKey}));
    expect((await create(podOf('unsigned', image('unsigned')))).allowed).toBe(false);
    if (kind === 'verifyImages') {
      const match = {any: [{resources: {kinds: ['Pod']}}]};
      const conditions = {all: [{key: '{{ request.object.spec.containers[].image }}', operator: 'AllIn', value: [image('unsigned')]}]};
      const spec = {exceptions: [{policyName: 'signed', ruleNames: ['signed']}], match, conditions};
      await write(operator, {apiVersion: 'kyverno.io/v2', kind: 'PolicyException', metadata, spec});
    } else {
      const spec = {policyRefs: [{kind, name: 'signed'}], images: [image('unsigned')]};
      await putCel(operator, [{apiVersion: 'policies.kyverno.io/v1beta1', kind: 'PolicyException', metadata, spec}]);
    }
    await eventually(async () => (await create(podOf('unsigned', image('unsigned')))).allowed, {what: 'the exception in force', timeoutMs: 30_000});
    expect((await create(podOf('wrong', image('wrong')))).allowed).toBe(false);
  });
});

describe('a tag that moves', () => {
  it('to what is not signed is denied; what was admitted before stays what it was', async () => {
    const format: CosignFormat = 'tag';
    const repository = 'tag/moving';
    const target = {host: world.hosts.tags, repository};
    const first = await pushImage(target, {tag: 'v1', content: 'first'});
    await world.cosign.sign({format, image: `${target.host}/${repository}@${first.digest}`, key: world.keys.right});
    await put(operator, [verifyImagesPolicy({name: 'signed', images: `${target.host}/*`, format, publicKey: world.keys.right.publicKey})]);
    const image = `${target.host}/${repository}:v1`;
    const before = await create(podOf('before', image));
    expect(before, before.message).toMatchObject({allowed: true, image: `${image}@${first.digest}`});
    await pushImage(target, {tag: 'v1', content: 'second'});
    // A tag is taken to stand for the same digest for some seconds.
    await eventually(async () => !(await create(podOf('after', image))).allowed, {what: 'the moved tag denied', timeoutMs: 60_000, everyMs: 1000});
    expect((await create(podOf('pinned', `${image}@${first.digest}`))).allowed).toBe(true);
  });
});

describe('many Pods of one image', () => {
  let front: Front;
  beforeAll(async () => {
    front = await startFront(world.hosts.tags);
  });
  afterAll(() => front?.close());

  it('are one question to the registry', async () => {
    await put(operator, [verifyImagesPolicy({name: 'signed', images: `${front.host}/*`, format: 'tag', publicKey: world.keys.right.publicKey})]);
    const image = `${front.host}/tag/signed:v1`;
    const answers: Answer[] = [];
    // So many at once that their questions meet, and no more than the API server keeps connections for.
    for (let round = 0; round < 5; round += 1) {
      answers.push(...(await Promise.all(Array.from({length: 20}, (_, index) => create(podOf(`pod-${round}-${index}`, image))))));
    }
    expect(answers.filter(({allowed}) => !allowed).map(({message}) => message)).toEqual([]);
    const counts = new Map<string, number>();
    for (const line of front.requests) counts.set(line, (counts.get(line) ?? 0) + 1);
    // Each replica asks for itself.
    const replicas = operator.agent.replicas().length;
    expect([...counts].filter(([, count]) => count > replicas)).toEqual([]);
    console.log(`100 Pods, ${replicas} replicas: ${front.requests.length} requests to the registry`);
  });
});

describe('a pull secret', () => {
  let folder: string;
  let tokens: TokenService;
  let registries: Registries<'private'>;
  let image: Descriptor;
  const repository = 'private/app';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'private-'));
    tokens = await startTokenService(folder, {a: {password: 'of-a', repositories: [repository]}, b: {password: 'of-b', repositories: []}});
    registries = await startRegistries([{name: 'private', kind: 'distribution', auth: tokens.auth}]);
    const target = {host: registries.hosts.private, repository};
    const asked = await fetch(`${(tokens.auth['token'] as {realm: string}).realm}?scope=repository:${repository}:pull,push`, {
      headers: {authorization: `Basic ${Buffer.from('a:of-a').toString('base64')}`},
    });
    const {token} = (await asked.json()) as {token: string};
    image = await pushImage({...target, authorization: `Bearer ${token}`}, {tag: 'v1'});
    for (const tenant of ['a', 'b']) await giveSecret(tenant);
  });
  afterAll(async () => {
    await registries?.stop();
    await tokens?.close();
    await rm(folder, {recursive: true, force: true});
  });

  async function giveSecret(tenant: string): Promise<void> {
    const namespace = `tenant-${tenant}`;
    const config = JSON.stringify({auths: {[registries.hosts.private]: {username: tenant, password: `of-${tenant}`}}});
    const secret = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'pull', namespace}, type: 'kubernetes.io/dockerconfigjson', data: {'.dockerconfigjson': Buffer.from(config).toString('base64')}};
    await write(operator, secret as Thing);
    const rbac = 'rbac.authorization.k8s.io';
    await write(operator, {apiVersion: `${rbac}/v1`, kind: 'Role', metadata: {name: 'pull', namespace}, rules: [{apiGroups: [''], resources: ['secrets'], verbs: ['get']}]} as Thing);
    await write(operator, {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: {name: 'pull', namespace},
      roleRef: {apiGroup: rbac, kind: 'Role', name: 'pull'},
      subjects: [{kind: 'ServiceAccount', name: 'kyverno', namespace: 'kyverno'}],
    } as Thing);
  }

  it("of one namespace never opens another one's image", async () => {
    const digestOnly = verifyImagesPolicy({name: 'pin', images: `${registries.hosts.private}/*`, format: 'tag', publicKey: ''}, {attestors: undefined, required: false, verifyDigest: true});
    await put(operator, [digestOnly]);
    const reference = `${registries.hosts.private}/${repository}:v1`;
    const pod = (tenant: string) => podOf('app', reference, {namespace: `tenant-${tenant}`, pullSecret: 'pull'});
    const own = await create(pod('a'));
    expect(own, own.message).toMatchObject({allowed: true, image: `${reference}@${image.digest}`});
    expect((await create(pod('b'))).allowed).toBe(false);
    expect((await create(podOf('app', reference))).allowed).toBe(false);
    expect((await create(pod('a'))).allowed).toBe(true);
  });
});

describe('kyverno apply --registry', () => {
  it('judges images as admission does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'apply-'));
    try {
      const options = {name: 'signed', images: `${world.hosts.tags}/*`, format: 'tag' as const, publicKey: world.keys.right.publicKey};
      const image = (name: string) => `${world.hosts.tags}/tag/${name}:v1`;
      const judge = async (policy: Thing, name: string): Promise<string> => {
        await writeFile(join(folder, 'policy.yaml'), stringify(policy));
        await writeFile(join(folder, 'pod.yaml'), stringify(podOf(name, image(name))));
        const args = [program, 'apply', join(folder, 'policy.yaml'), '--resource', join(folder, 'pod.yaml'), '--registry'];
        const {stdout} = await promisify(execFile)(process.execPath, args, {cwd: folder}).catch((error: {stdout: string}) => error);
        return /pass: (\d+), fail: (\d+)/.exec(stdout)?.slice(1).join('/') ?? stdout;
      };
      for (const {make} of Object.values(policies)) {
        expect(await judge(make(options), 'signed')).toMatch(/^[1-9]\d*\/0$/);
        expect(await judge(make(options), 'unsigned')).toMatch(/^\d+\/[1-9]\d*$/);
      }
    } finally {
      await rm(folder, {recursive: true});
    }
  });
});
