import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {mediaTypes, pushBlob, pushManifest, type PushTarget} from '../images/push.js';
import {type Registries, startRegistries} from '../images/registries.js';
import {admit} from './support/admitted.js';
import {dropCel, putCel} from './support/cel-policies.js';
import {podOf} from './support/image-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {dropAll, put, type Thing} from './support/policies.js';

/** Policies that read what registries know of images, as users write them: digests, labels, annotations, sizes and ages. */
let registries: Registries<'data'>;
let operator: OperatorCluster;
let target: PushTarget;

beforeAll(async () => {
  registries = await startRegistries([{name: 'data', kind: 'referrers'}]);
  target = {host: registries.hosts.data, repository: 'acme/data'};
  operator = await startOperatorCluster({args: ['--allowInsecureRegistry=true']});
  await createNamespaces(operator, ['shop']);
});
afterAll(async () => {
  await operator?.stop();
  await registries?.stop();
});
afterEach(async () => {
  await dropCel(operator);
  await dropAll(operator);
});

interface Pushed {
  readonly image: string;
  readonly digest: string;
}

async function push(tag: string, {config = {}, annotations, size}: {readonly config?: object; readonly annotations?: Readonly<Record<string, string>>; readonly size?: number} = {}): Promise<Pushed> {
  const layer = await pushBlob(target, `layer ${tag}`, mediaTypes.layer);
  const configuration = await pushBlob(target, JSON.stringify({architecture: 'amd64', os: 'linux', config: {}, ...config}), mediaTypes.config);
  const layers = [size === undefined ? layer : {...layer, size}];
  const {digest} = await pushManifest(target, {schemaVersion: 2, mediaType: mediaTypes.manifest, config: configuration, layers, ...(annotations && {annotations})}, tag);
  return {image: `${target.host}/${target.repository}:${tag}`, digest};
}

const notDeleted = {all: [{key: "{{request.operation || 'BACKGROUND'}}", operator: 'NotEquals', value: 'DELETE'}]};
const containers = 'request.object.spec.containers';

function rule(name: string, action: object): Thing {
  const match = {any: [{resources: {kinds: ['Pod']}}]};
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name}, spec: {background: false, webhookConfiguration: {timeoutSeconds: 30}, rules: [{name: 'r', match, preconditions: notDeleted, ...action}]}};
}

const imageData = (jmesPath?: string) => ({name: 'data', imageRegistry: {reference: '{{ element.image }}', ...(jmesPath !== undefined && {jmesPath})}});
const denied = (message: string, context: readonly object[], all: readonly object[]) => ({validate: {failureAction: 'Enforce', message, foreach: [{list: containers, context, deny: {conditions: {all}}}]}});

function cel(kind: string, name: string, more: object): Thing {
  const matchConstraints = {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods']}]};
  return {apiVersion: 'policies.kyverno.io/v1beta1', kind, metadata: {name}, spec: {webhookConfiguration: {timeoutSeconds: 20}, matchConstraints, ...more}};
}

interface PodBody {
  readonly spec: {readonly containers: readonly {readonly image: string; readonly env?: readonly object[]}[]};
}

const admitted = (image: string, more?: Parameters<typeof podOf>[2]) => admit(operator, podOf('app', image, more));

describe('rules', () => {
  it('resolve tags to digests', async () => {
    const patch = {spec: {containers: [{name: '{{ element.name }}', image: '{{ data }}'}]}};
    await put(operator, [rule('resolve', {mutate: {foreach: [{list: containers, context: [imageData('resolvedImage')], patchStrategicMerge: patch}]}})]);
    const {image, digest} = await push('resolved');
    const found = await admitted(image);
    expect(found.image, found.message).toBe(`${target.host}/${target.repository}@${digest}`);
    expect((await admitted(`${target.host}/${target.repository}:none`)).allowed).toBe(false);
  });

  it('write annotations of manifests and labels of images into Pods', async () => {
    const base = {name: 'basename', variable: {jmesPath: 'data.manifest.annotations."org.opencontainers.image.base.name"', default: ''}};
    const annotate = '- path: "/metadata/annotations/acme.test~1base{{elementIndex}}"\n  op: add\n  value: "{{basename}}"';
    const inject = '- op: add\n  path: "/spec/containers/{{elementIndex}}/env/-"\n  value:\n    name: MAINTAINER\n    value: "{{data}}"';
    await put(operator, [
      rule('annotate', {mutate: {foreach: [{list: containers, context: [imageData(), base], patchesJson6902: annotate}]}}),
      rule('inject', {mutate: {foreach: [{list: containers, context: [imageData("configData.config.Labels.maintainer || ''")], preconditions: {all: [{key: '{{data}}', operator: 'NotEquals', value: ''}]}, patchesJson6902: inject}]}}),
    ]);
    const {image} = await push('labelled', {config: {config: {Labels: {maintainer: 'team-a'}}}, annotations: {'org.opencontainers.image.base.name': 'alpine:3'}});
    const pod = podOf('app', image, {annotations: {a: 'b'}});
    const found = await admit(operator, {...pod, spec: {containers: [{name: 'c', image, env: [{name: 'A', value: 'b'}]}]}});
    expect(found.allowed, found.message).toBe(true);
    expect(found.annotations).toMatchObject({'acme.test/base0': 'alpine:3'});
    expect((found.body as Thing & PodBody).spec.containers[0]?.env).toContainEqual({name: 'MAINTAINER', value: 'team-a'});
    const bare = await admitted((await push('unlabelled')).image, {annotations: {a: 'b'}});
    expect(bare.annotations).toMatchObject({'acme.test/base0': ''});
  });

  it('deny what is too large', async () => {
    await put(operator, [rule('large', denied('images with size greater than 2Gi not allowed', [imageData('to_string(sum(manifest.layers[*].size))')], [{key: '2Gi', operator: 'LessThan', value: '{{data}}'}]))]);
    expect((await admitted((await push('small')).image)).allowed).toBe(true);
    const large = await admitted((await push('large', {size: 3 * 2 ** 30})).image);
    expect(large.allowed).toBe(false);
    expect(large.message).toContain('images with size greater than 2Gi not allowed');
  });

  it('deny what is too old', async () => {
    await put(operator, [rule('stale', denied('Images built more than 6 months ago are prohibited.', [imageData()], [{key: "{{ time_since('', '{{ data.configData.created }}', '') }}", operator: 'GreaterThan', value: '4380h'}]))]);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const fresh = await admitted((await push('fresh', {config: {created: yesterday}})).image);
    expect(fresh.allowed, fresh.message).toBe(true);
    expect((await admitted((await push('stale', {config: {created: '2020-01-01T00:00:00Z'}})).image)).message).toContain('Images built more than 6 months ago are prohibited.');
  });

  it('deny what does not say where it is from', async () => {
    const source = (where: string) => ({key: `{{ data.${where}."org.opencontainers.image.source" || '' }}`, operator: 'NotEquals', value: '*?'});
    await put(operator, [rule('sourced', denied('The image source must be specified', [imageData('{labels: configData.config.Labels, annotations: manifest.annotations}')], [source('labels'), source('annotations')]))]);
    const of = {'org.opencontainers.image.source': 'https://github.com/acme/app'};
    for (const more of [{annotations: of}, {config: {config: {Labels: of}}}]) {
      const found = await admitted((await push(`sourced-${Object.keys(more)[0]}`, more)).image);
      expect(found.allowed, found.message).toBe(true);
    }
    expect((await admitted((await push('unsourced')).image)).allowed).toBe(false);
  });
});

describe('policies written in CEL', () => {
  it('resolve tags to digests, and write annotations of manifests', async () => {
    const resolve = 'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, image: image.GetMetadata(c.image).resolvedImage})}}';
    const base = "has(variables.data.manifest.annotations) && 'org.opencontainers.image.base.name' in variables.data.manifest.annotations";
    const annotate = `${base} ? [JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("acme.test/base"), value: variables.data.manifest.annotations["org.opencontainers.image.base.name"]}] : []`;
    await putCel(operator, [
      cel('MutatingPolicy', 'annotate', {variables: [{name: 'data', expression: 'image.GetMetadata(object.spec.containers[0].image)'}], mutations: [{patchType: 'JSONPatch', jsonPatch: {expression: annotate}}]}),
      cel('MutatingPolicy', 'resolve', {mutations: [{patchType: 'ApplyConfiguration', applyConfiguration: {expression: resolve}}]}),
    ]);
    const {image, digest} = await push('resolved-cel', {annotations: {'org.opencontainers.image.base.name': 'alpine:3'}});
    const found = await admitted(image, {annotations: {a: 'b'}});
    expect(found, found.message).toMatchObject({image: `${target.host}/${target.repository}@${digest}`, annotations: {'acme.test/base': 'alpine:3'}});
  });

  it('deny what is too large, too old, or built for another platform', async () => {
    const data = 'image.GetMetadata(container.image)';
    const every = (ask: string) => `object.spec.containers.all(container, ${ask})`;
    const validations = [
      {message: 'images with size greater than 2Gi not allowed', expression: every(`${data}.manifest.layers.map(layer, layer.size).sum() <= 2147483648`)},
      {messageExpression: "'stale images: ' + object.spec.containers.map(container, container.image).join(', ')", expression: every(`!has(${data}.config.created) || timestamp(${data}.config.created) >= time.now() - duration('4380h')`)},
      {message: 'image architecture is not supported', expression: every(`${data}.config.architecture == 'amd64'`)},
    ];
    await putCel(operator, [cel('ValidatingPolicy', 'judged', {validationActions: ['Deny'], validations})]);
    const good = await admitted((await push('good-cel')).image);
    expect(good.allowed, good.message).toBe(true);
    expect((await admitted((await push('large-cel', {size: 3 * 2 ** 30})).image)).message).toContain('images with size greater than 2Gi not allowed');
    const stale = await push('stale-cel', {config: {created: '2020-01-01T00:00:00Z'}});
    expect((await admitted(stale.image)).message).toContain(`stale images: ${stale.image}`);
    expect((await admitted((await push('arm-cel', {config: {architecture: 'arm64'}})).image)).message).toContain('image architecture is not supported');
  });
});
