import {stringify} from 'yaml';
import {catalogue} from '../../../scripts/crd/catalogue.js';
import {toManifest} from '../../../scripts/crd/definition.js';
import {quiet} from '../../../scripts/crd/schema.js';
import {metricsMap, settingsMap} from '../config/config-maps.js';
import {policyRoles} from '../rights/roles.js';
import {userRoles} from '../rights/user-roles.js';
import {defaultSettings, oldestOpenShift} from '../settings.js';
import type {InstallSettings, KubeObject} from '../types.js';
import {disruptionBudget, priorityClass} from '../workload/disruption.js';
import {services} from '../workload/services.js';
import {channel, clusterServiceVersion, csvName, packageName, type Release, release} from './cluster-service-version.js';

/** What stands in the ClusterServiceVersion as permissions, or cannot be in a bundle. */
const inCsv = new Set(['kyverno:generate', 'kyverno:read']);

/** Definitions without their sentences: a bundle is unpacked into one ConfigMap. `kubectl explain` has them from the manifest. */
export function bundledDefinitions(): readonly KubeObject[] {
  return catalogue.map(definition => {
    const properties = Object.fromEntries(Object.entries(definition.properties).map(([key, node]) => [key, quiet(node)]));
    return toManifest({...definition, properties}) as unknown as KubeObject;
  });
}

/** What lies beside the ClusterServiceVersion. Objects of a namespace have none: OLM puts them into that of the operator. */
export function bundledObjects(settings: InstallSettings): readonly KubeObject[] {
  const roles = policyRoles(settings).filter(({metadata}) => !inCsv.has(metadata.name));
  return [priorityClass(settings), ...roles, ...userRoles(settings), settingsMap(settings), metricsMap(settings), ...services(settings), disruptionBudget(settings)].map(object => {
    const {namespace: _operators, ...metadata} = object.metadata;
    return {...object, metadata};
  });
}

export const annotations: Readonly<Record<string, string>> = {
  'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
  'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
  'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
  'operators.operatorframework.io.bundle.package.v1': packageName,
  'operators.operatorframework.io.bundle.channels.v1': channel,
  'operators.operatorframework.io.bundle.channel.default.v1': channel,
  'operators.operatorframework.io.test.mediatype.v1': 'scorecard+v1',
  'operators.operatorframework.io.test.config.v1': 'tests/scorecard/',
  'com.redhat.openshift.versions': oldestOpenShift,
};

const scorecardImage = 'quay.io/operator-framework/scorecard-test:v1.41.1';
const scorecardTests: ReadonlyArray<readonly [string, string]> = [
  ['basic', 'basic-check-spec'],
  ['olm', 'olm-bundle-validation'],
  ['olm', 'olm-crds-have-validation'],
  ['olm', 'olm-crds-have-resources'],
  ['olm', 'olm-spec-descriptors'],
  ['olm', 'olm-status-descriptors'],
];

const scorecard = {
  apiVersion: 'scorecard.operatorframework.io/v1alpha3',
  kind: 'Configuration',
  metadata: {name: 'config'},
  stages: [{parallel: true, tests: scorecardTests.map(([suite, test]) => ({image: scorecardImage, entrypoint: ['scorecard-test', test], labels: {suite, test: `${test}-test`}}))}],
};

function dockerfile(): string {
  const labels = Object.entries(annotations).map(([key, value]) => `LABEL ${key}=${value}`);
  return `FROM scratch\n${labels.join('\n')}\nCOPY manifests /manifests/\nCOPY metadata /metadata/\nCOPY tests/scorecard /tests/scorecard/\n`;
}

/** A file-based catalog with the one bundle; \`bundleImage\` is what the bundle was pushed as. */
export function catalogText(bundleImage: string, {version, previous}: Release = release): string {
  const gvks = catalogue.flatMap(({group, kind, versions}) => versions.map(each => ({type: 'olm.gvk', value: {group, kind, version: each.name}})));
  const entry = {name: csvName(version), ...(previous !== undefined && {replaces: csvName(previous)}), skipRange: `<${version}`};
  const blobs = [
    {schema: 'olm.package', name: packageName, defaultChannel: channel},
    {schema: 'olm.channel', package: packageName, name: channel, entries: [entry]},
    {schema: 'olm.bundle', package: packageName, name: csvName(version), image: bundleImage, properties: [{type: 'olm.package', value: {packageName, version}}, ...gvks]},
  ];
  return blobs.map(blob => stringify(blob)).join('---\n');
}

/** `ClusterRole kyverno:extra` → `kyverno-extra.clusterrole.yaml`. */
function fileName({kind, metadata}: KubeObject): string {
  return `${metadata.name.replaceAll(':', '-')}.${kind.toLowerCase()}.yaml`;
}

const banner = '# Generated from install/source by `npm run generate`; edit there.\n';
const yaml = (object: object) => `${banner}${stringify(object, {aliasDuplicateObjects: false, lineWidth: 0})}`;

export interface BundleOptions {
  /** Below which the bundle lies. */
  readonly folder?: string;
  readonly settings?: InstallSettings;
  readonly bundleImage?: string;
  readonly release?: Release;
}

/** Path → text of bundle and catalog. */
export function bundleFiles({folder = 'olm', settings = defaultSettings, bundleImage, release: of = release}: BundleOptions = {}): ReadonlyMap<string, string> {
  const bundle = `${folder}/bundle`;
  return new Map([
    [`${bundle}/manifests/${packageName}.clusterserviceversion.yaml`, yaml(clusterServiceVersion(settings, of))],
    ...bundledDefinitions().map(definition => [`${bundle}/manifests/${definition.metadata.name}.crd.yaml`, yaml(definition)] as const),
    ...bundledObjects(settings).map(object => [`${bundle}/manifests/${fileName(object)}`, yaml(object)] as const),
    [`${bundle}/metadata/annotations.yaml`, yaml({annotations})],
    [`${bundle}/tests/scorecard/config.yaml`, yaml(scorecard)],
    [`${bundle}/bundle.Dockerfile`, `${banner}${dockerfile()}`],
    [`${folder}/catalog/catalog.yaml`, `${banner}${catalogText(bundleImage ?? `${packageName}-bundle:${of.version}`, of)}`],
  ]);
}
