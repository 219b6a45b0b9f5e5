import {describe, expect, it} from 'vitest';
import {parse, parseAllDocuments} from 'yaml';
import {readBundle} from '../../../test/olm/bundle-on-disk.js';
import {renderCsv} from '../../../test/olm/render-csv.js';
import {installObjects} from '../objects.js';
import {defaultSettings} from '../settings.js';
import {bundleFiles} from './bundle.js';
import {clusterServiceVersion, release} from './cluster-service-version.js';

const bundle = readBundle();
const files = bundleFiles();
// biome-ignore lint/suspicious/noExplicitAny: looked at field by field below.
const csv = bundle.csv as any;
interface Owned {
  readonly name: string;
  readonly kind: string;
  readonly version: string;
  readonly resources: readonly object[];
  readonly specDescriptors?: ReadonlyArray<{readonly path: string}>;
  readonly statusDescriptors?: ReadonlyArray<{readonly path: string}>;
}
const owned: readonly Owned[] = csv.spec.customresourcedefinitions.owned;
interface Example {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}
const examples: readonly Example[] = JSON.parse(csv.metadata.annotations['alm-examples']);

/** As `opm` checks a bundle when a catalog takes it in. */
describe('rules of catalogs', () => {
  const {annotations} = parse(files.get('olm/bundle/metadata/annotations.yaml')!) as {annotations: Record<string, string>};

  it('the annotations name package, channel and folders, and the image has the same labels', () => {
    expect(annotations).toMatchObject({
      'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
      'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
      'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
      'operators.operatorframework.io.bundle.package.v1': 'kyverno-ts',
    });
    const channels = annotations['operators.operatorframework.io.bundle.channels.v1']!.split(',');
    expect(channels).toContain(annotations['operators.operatorframework.io.bundle.channel.default.v1']);
    const dockerfile = files.get('olm/bundle/bundle.Dockerfile')!;
    for (const [key, value] of Object.entries(annotations)) expect(dockerfile).toContain(`LABEL ${key}=${value}\n`);
  });

  it('every owned version is in the bundle, and every version of the bundle is owned', () => {
    const inBundle = bundle.definitions.flatMap(({metadata, spec}) => (spec as {versions: {name: string}[]}).versions.map(({name}) => `${metadata.name}/${name}`));
    expect(owned.map(({name, version}) => `${name}/${version}`).sort()).toEqual(inBundle.sort());
  });

  it('only kinds that bundles may hold stand beside it', () => {
    const allowed = new Set(['ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding', 'PodDisruptionBudget', 'PriorityClass', 'ServiceMonitor', 'PrometheusRule']);
    expect(bundle.beside.filter(({kind}) => !allowed.has(kind))).toEqual([]);
    expect(bundle.beside.filter(({metadata}) => metadata.namespace !== undefined)).toEqual([]);
  });

  it('fits into the ConfigMap that it is unpacked into', () => {
    const total = [...files].filter(([name]) => name.includes('/manifests/')).reduce((sum, [, text]) => sum + Buffer.byteLength(JSON.stringify(parse(text))), 0);
    expect(total).toBeLessThan(1024 * 1024);
  });

  it('name, version and upgrade edges agree', () => {
    expect(csv.metadata.name).toBe(`kyverno-ts.v${csv.spec.version}`);
    expect(csv.metadata.annotations['olm.skipRange']).toBe(`<${csv.spec.version}`);
    const next = clusterServiceVersion(defaultSettings, {...release, version: '0.2.0', previous: '0.1.0'});
    expect(next).toMatchObject({metadata: {name: 'kyverno-ts.v0.2.0'}, spec: {replaces: 'kyverno-ts.v0.1.0', version: '0.2.0'}});
  });

  it('the catalog has one package, one head of its channel, and the bundle with its kinds', () => {
    const blobs = parseAllDocuments(files.get('olm/catalog/catalog.yaml')!).map(document => document.toJS());
    expect(blobs.map(({schema}) => schema)).toEqual(['olm.package', 'olm.channel', 'olm.bundle']);
    const [pkg, head, blob] = blobs;
    expect(head.name).toBe(pkg.defaultChannel);
    expect(head.entries).toHaveLength(1);
    expect(head.entries[0].name).toBe(blob.name);
    expect(blob.properties.filter(({type}: {type: string}) => type === 'olm.gvk')).toHaveLength(owned.length);
  });
});

/** As the scorecard's standard tests look at a bundle. */
describe('rules of the scorecard', () => {
  it('every example has a spec', () => {
    expect(examples.filter(({spec}) => spec === undefined)).toEqual([]);
  });

  it('every definition has a schema, and every owned one says what comes with it', () => {
    for (const {metadata, spec} of bundle.definitions)
      for (const version of (spec as {versions: {schema?: {openAPIV3Schema?: object}}[]}).versions) expect(version.schema?.openAPIV3Schema, metadata.name).toBeDefined();
    expect(owned.filter(({resources}) => resources.length === 0)).toEqual([]);
  });

  it('every field of an example is described', () => {
    for (const {apiVersion, kind, spec = {}, status = {}} of examples) {
      const [group, version] = apiVersion.split('/');
      const entry = owned.find(each => each.kind === kind && each.version === version && each.name.endsWith(`.${group}`));
      const paths = (list: Owned['specDescriptors']) => new Set((list ?? []).map(({path}) => path));
      for (const field of Object.keys(spec)) expect(paths(entry?.specDescriptors).has(field), `${apiVersion} ${kind} spec.${field}`).toBe(true);
      for (const field of Object.keys(status)) expect(paths(entry?.statusDescriptors).has(field), `${apiVersion} ${kind} status.${field}`).toBe(true);
    }
  });

  it('conditions are shown as such', () => {
    const entry = owned.find(({kind, version}) => kind === 'ClusterPolicy' && version === 'v1');
    expect(entry?.statusDescriptors).toEqual(expect.arrayContaining([expect.objectContaining({path: 'conditions', 'x-descriptors': ['urn:alm:descriptor:io.kubernetes.conditions']})]));
  });
});

describe('claims', () => {
  const {annotations} = csv.metadata;
  const feature = (name: string) => annotations[`features.operators.openshift.io/${name}`];

  it('name every feature of OpenShift, and hold none that is not there', () => {
    for (const name of ['fips-compliant', 'proxy-aware', 'tls-profiles', 'token-auth-aws', 'token-auth-azure', 'token-auth-gcp']) expect(feature(name), name).toBe('false');
  });

  it('say that mirrors can follow only when the image is named by its digest', () => {
    expect(feature('disconnected')).toBe('false');
    const image = `registry.example.org/kyverno-ts@sha256:${'a'.repeat(64)}`;
    const released = clusterServiceVersion({...defaultSettings, image});
    expect(released.metadata.annotations).toMatchObject({'features.operators.openshift.io/disconnected': 'true', containerImage: image});
    expect(released).toMatchObject({spec: {relatedImages: [{name: 'kyverno', image}]}});
  });

  it('every image that runs is a related one', () => {
    const images = csv.spec.install.spec.deployments.flatMap(({spec}: {spec: {template: {spec: {containers: {image: string}[]}}}}) => spec.template.spec.containers.map(({image}) => image));
    expect(csv.spec.relatedImages.map(({image}: {image: string}) => image).sort()).toEqual([...new Set(images)].sort());
  });

  it('installs for all namespaces alone, and intercepts nothing by itself', () => {
    expect(csv.spec.installModes.filter(({supported}: {supported: boolean}) => supported).map(({type}: {type: string}) => type)).toEqual(['AllNamespaces']);
    expect(csv.spec).not.toHaveProperty('webhookdefinitions');
  });

  it('shows a picture of its own', () => {
    const [{base64data, mediatype}] = csv.spec.icon;
    expect(mediatype).toBe('image/svg+xml');
    expect(Buffer.from(base64data, 'base64').toString()).toMatch(/^<svg /);
  });
});

describe('what OLM makes of it', () => {
  const objects = renderCsv(bundle.csv, bundle.beside, 'kyverno');

  it('is the installation of the manifest, but for names of roles and what a bundle cannot hold', () => {
    const manifest = installObjects(defaultSettings);
    const roles = /^(Cluster)?Role(Binding)?$/;
    const names = (list: typeof manifest) => list.filter(({kind}) => !roles.test(kind)).map(({kind, metadata}) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`).sort();
    expect(names(objects)).toEqual(names(manifest.filter(({kind}) => kind !== 'Namespace' && kind !== 'NetworkPolicy')));
    const spec = (list: typeof manifest) => structuredClone(list.find(({kind}) => kind === 'Deployment')) as unknown as {spec: {template: {metadata: {annotations?: object}; spec: {containers: {env: {name: string}[]}[]}}}};
    const made = spec(objects);
    delete made.spec.template.metadata.annotations;
    const [container] = made.spec.template.spec.containers;
    container!.env = container!.env.filter(({name}) => name !== 'OPERATOR_CONDITION_NAME');
    expect(made.spec).toEqual(spec(manifest).spec);
  });

  it('grants what the manifest grants', () => {
    const rules = (list: typeof objects) => new Set(list.filter(({kind, metadata}) => /Role$/.test(kind) && !metadata.name.includes(':rbac:')).flatMap(({rules = []}) => (rules as {apiGroups: string[]; resources: string[]; verbs: string[]}[]).flatMap(rule => rule.apiGroups.flatMap(group => rule.resources.flatMap(resource => rule.verbs.map(verb => `${verb} ${group}/${resource}`))))));
    expect([...rules(objects)].sort()).toEqual([...rules(installObjects(defaultSettings))].sort());
  });
});
