import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {stringify} from 'yaml';
import {ensureBuilt, program} from '../e2e/support/build.js';
import {imageValidatingPolicy, podOf, verifyImagesPolicy} from '../e2e/support/image-policies.js';
import type {Thing} from '../e2e/support/policies.js';
import {addAttestedImages, type AttestedWorld} from './attested-world.js';
import {mediaTypes, pushBlob, pushManifest, type PushTarget} from './push.js';
import {createImagesWorld, type ImagesWorld} from './world.js';

/** Suites for `kyverno test --registry`, as authors of policies on images write them, on images of our own. */
let world: ImagesWorld;
let attested: AttestedWorld;
let folder: string;

beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'suites-'));
  world = await createImagesWorld();
  attested = await addAttestedImages(world);
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, {recursive: true, force: true});
});

interface Suite {
  readonly policies: readonly object[];
  readonly resources: readonly Thing[];
  readonly exceptions?: readonly object[];
  readonly results: readonly (readonly [policy: string, rule: string, result: 'pass' | 'fail' | 'skip', ...resources: string[]])[];
}

/** Runs it; the rows whose outcome is not the wanted one, and the exit status. */
async function run(name: string, {policies, resources, exceptions, results}: Suite) {
  const place = join(folder, name);
  await mkdir(place);
  const documents = (all: readonly object[]) => all.map(each => stringify(each)).join('---\n');
  await writeFile(join(place, 'policies.yaml'), documents(policies));
  await writeFile(join(place, 'resources.yaml'), documents(resources));
  if (exceptions !== undefined) await writeFile(join(place, 'exceptions.yaml'), documents(exceptions));
  const isImagePolicy = (policy: string) => policies.some(each => (each as Thing).kind === 'ImageValidatingPolicy' && (each as Thing).metadata.name === policy);
  const test = {
    apiVersion: 'cli.kyverno.io/v1alpha1',
    kind: 'Test',
    metadata: {name},
    policies: ['policies.yaml'],
    resources: ['resources.yaml'],
    ...(exceptions !== undefined && {exceptions: ['exceptions.yaml']}),
    results: results.map(([policy, rule, result, ...about]) => ({kind: 'Pod', policy, ...(isImagePolicy(policy) ? {isImageValidatingPolicy: true} : {rule}), result, resources: about})),
  };
  await writeFile(join(place, 'kyverno-test.yaml'), stringify(test));
  const args = [program, 'test', place, '--registry', '-o', 'json', '--detailed-results'];
  const answer = promisify(execFile)(process.execPath, args, {maxBuffer: 1 << 26}).then(
    ({stdout}) => ({exit: 0, stdout}),
    (error: {code: number; stdout: string}) => ({exit: error.code, stdout: error.stdout}),
  );
  return answer;
}

async function passes(name: string, suite: Suite): Promise<void> {
  const {exit, stdout} = await run(name, suite);
  expect(exit, stdout).toBe(0);
}

describe('kyverno test --registry', () => {
  it('verifies signatures', async () => {
    const policy = verifyImagesPolicy({name: 'verify-signature', images: `${world.hosts.tags}/*`, format: 'tag', publicKey: world.keys.right.publicKey});
    const resources = ['signed', 'unsigned'].map(name => podOf(name, `${world.hosts.tags}/tag/${name}:v1`));
    const suite = {policies: [policy], resources};
    await passes('signatures', {...suite, results: [['verify-signature', 'signed', 'fail', 'unsigned'], ['verify-signature', 'signed', 'pass', 'signed']]});
    const wrong = await run('signatures-wrong', {...suite, results: [['verify-signature', 'signed', 'pass', 'unsigned']]});
    expect(wrong.exit, wrong.stdout).toBe(1);
  });

  it('judges by ImageValidatingPolicies and their exceptions', async () => {
    const base = imageValidatingPolicy({name: 'sample', images: `${world.hosts.referrers}/*`, format: 'bundle', publicKey: ''});
    const every = (ask: string) => `images.containers.map(image, ${ask}).all(e, e)`;
    const policy = {
      ...base,
      spec: {
        ...(base.spec as object),
        failurePolicy: 'Ignore',
        validationConfigurations: {verifyDigest: false},
        matchConditions: [{name: 'production', expression: "has(object.metadata.labels) && has(object.metadata.labels.prod) && object.metadata.labels.prod == 'true'"}],
        attestors: [{name: 'notary', notary: {certs: {value: attested.certificate}}}],
        attestations: [{name: 'sbom', referrer: {type: 'sbom/cyclone-dx'}}],
        validations: [
          {expression: every('verifyImageSignatures(image, [attestors.notary]) > 0'), message: 'not signed'},
          {expression: every('verifyAttestationSignatures(image, attestations.sbom, [attestors.notary]) > 0'), message: 'no list of parts'},
          {expression: every("extractPayload(image, attestations.sbom).bomFormat == 'CycloneDX'"), message: 'another list of parts'},
        ],
      },
    };
    const exception = {apiVersion: 'policies.kyverno.io/v1alpha1', kind: 'PolicyException', metadata: {name: 'named'}, spec: {policyRefs: [{name: 'sample', kind: 'ImageValidatingPolicy'}], matchConditions: [{name: 'named', expression: "object.metadata.name == 'skipped'"}]}};
    const pod = (name: string, place: string): Thing => {
      const object = podOf(name, `${place}:v1`);
      return {...object, metadata: {...object.metadata, labels: {prod: 'true'}}};
    };
    const {notation, bare} = attested.places;
    await passes('policies-on-images', {
      policies: [policy],
      exceptions: [exception],
      resources: [pod('good', notation), pod('bad', bare), pod('skipped', bare)],
      results: [['sample', '', 'fail', 'bad'], ['sample', '', 'pass', 'good'], ['sample', '', 'skip', 'skipped']],
    });
  });

  describe('reads what registries know of images', () => {
    const target = (): PushTarget => ({host: world.hosts.tags, repository: 'acme/data'});

    /** An image by its whole config, in an index or not. */
    async function push(tag: string, more: object, {index = false} = {}): Promise<string> {
      const layer = await pushBlob(target(), `layer ${tag}`, mediaTypes.layer);
      const config = await pushBlob(target(), JSON.stringify({architecture: 'amd64', os: 'linux', config: {}, ...more}), mediaTypes.config);
      const manifest = {schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer]};
      if (index) {
        const one = await pushManifest(target(), manifest);
        await pushManifest(target(), {schemaVersion: 2, mediaType: mediaTypes.index, manifests: [{...one, platform: {architecture: 'amd64', os: 'linux'}}]}, tag);
      } else await pushManifest(target(), manifest, tag);
      return `${target().host}/${target().repository}:${tag}`;
    }

    const rule = (name: string, message: string, {context = [], conditions}: {readonly context?: readonly object[]; readonly conditions: readonly object[]}) => ({
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: {name},
      spec: {
        rules: [
          {
            name: `${name}-rule`,
            match: {any: [{resources: {kinds: ['Pod']}}]},
            preconditions: {all: [{key: '{{request.operation}}', operator: 'NotEquals', value: 'DELETE'}]},
            validate: {
              failureAction: 'Enforce',
              message,
              foreach: [{list: 'request.object.spec.containers', context: [{name: 'imageData', imageRegistry: {reference: '{{ element.image }}', imageRegistryCredentials: {allowInsecureRegistry: true}}}, ...context], deny: {conditions: {all: conditions}}}],
            },
          },
        ],
      },
    });

    it('for users, sources and lists of platforms', async () => {
      const buildInfo = Buffer.from(JSON.stringify({sources: [{ref: 'docker.io/library/alpine'}]})).toString('base64');
      const images = {
        rooted: await push('rooted', {config: {User: ''}}),
        user: await push('user', {config: {User: '1000'}}),
        built: await push('built', {'moby.buildkit.buildinfo.v1': buildInfo}, {index: true}),
      };
      const policies = [
        rule('users', 'images with root user are not allowed', {conditions: [{key: "{{ imageData.configData.config.User || '' }}", operator: 'Equals', value: ''}, {key: '{{ imageData.registry }}', operator: 'NotEquals', value: 'ghcr.io'}]}),
        rule('sources', 'images name what they are built from', {
          context: [{name: 'source', variable: {default: 0, jmesPath: 'imageData.configData."moby.buildkit.buildinfo.v1" | base64_decode(@).parse_json(@) | sources[].ref | length(@)'}}],
          conditions: [{key: '{{ source }}', operator: 'Equals', value: 0}],
        }),
        rule('platforms', 'images are lists of platforms', {
          context: [{name: 'manifests', variable: {default: 0, jmesPath: 'imageData.manifestList.manifests | length(@)'}}],
          conditions: [{key: '{{ manifests }}', operator: 'Equals', value: 0}],
        }),
      ];
      await passes('image-data', {
        policies,
        resources: Object.entries(images).map(([name, image]) => podOf(name, image)),
        results: [
          ['users', 'users-rule', 'pass', 'user'],
          ['users', 'users-rule', 'fail', 'rooted', 'built'],
          ['sources', 'sources-rule', 'pass', 'built'],
          ['sources', 'sources-rule', 'fail', 'user'],
          ['platforms', 'platforms-rule', 'pass', 'built'],
          ['platforms', 'platforms-rule', 'fail', 'user', 'rooted'],
        ],
      });
    });
  });
});
