import {isObject, type Json, type JsonObject, own, ownPath} from '../json/types.js';
import {objects, strings, text} from '../policy/access.js';
import {compileGlob, compileGlobs, type TextTest} from '../values/glob.js';

/** Paths of an object that may differ from what was signed. */
export type IgnoredFields = (resource: JsonObject) => TextTest;

interface Entry {
  readonly applies: (resource: JsonObject) => boolean;
  readonly fields: TextTest;
}

/** What the API server and controllers write, by group and kind; `*` for all. */
const written: ReadonlyArray<readonly [string, string, readonly string[]]> = [
  [
    '*',
    '*',
    [
      'metadata.managedFields',
      'metadata.resourceVersion',
      'metadata.selfLink',
      'metadata.creationTimestamp',
      'metadata.generation',
      'metadata.uid',
      'metadata.finalizers',
      'metadata.annotations.kubectl.kubernetes.io/last-applied-configuration',
      'metadata.annotations.kyverno.io/verify-images',
      'metadata.annotations.kyverno.io/verify-images-scoped',
      'metadata.labels.app.kubernetes.io/instance',
      'status',
    ],
  ],
  ['', 'ServiceAccount', ['secrets.*.name', 'imagePullSecrets.*.name']],
  ['', 'Service', ['spec.ports.*.nodePort', 'spec.clusterIP', 'spec.clusterIPs']],
  ['apps', 'Deployment', ['metadata.annotations.deployment.kubernetes.io/revision']],
  ['apps', 'DaemonSet', ['metadata.annotations.deprecated.daemonset.template.generation']],
  ['route.openshift.io', 'Route', ['spec.host']],
];

/** The defaults, the annotations of the signature, and what a policy adds. */
export function compileIgnoredFields(added: readonly JsonObject[], domain: string): IgnoredFields {
  const annotations = ['message', 'signature', 'certificate', 'bundle', 'resourceBundleRef'].flatMap(name => [
    `metadata.annotations.${domain}/${name}`,
    `metadata.annotations.${domain}/${name}_*`,
  ]);
  const entries: Entry[] = [
    {applies: () => true, fields: fieldTest(annotations)},
    ...written.map(([group, kind, fields]) => ({applies: objectTest([{group, kind}]), fields: fieldTest(fields)})),
    ...added.map(entry => ({
      applies: objectTest(objects(entry, 'objects')),
      fields: fieldTest(strings(entry, 'fields')),
    })),
  ];
  return resource => {
    const tests = entries.filter(entry => entry.applies(resource)).map(entry => entry.fields);
    return path => tests.some(test => test(path));
  };
}

/** A field stands for all below it. */
function fieldTest(fields: readonly string[]): TextTest {
  return compileGlobs(fields.flatMap(field => [field, `${field}.*`]));
}

/** Parts that are absent say nothing; without any object all are meant. */
function objectTest(selectors: readonly JsonObject[]): (resource: JsonObject) => boolean {
  if (selectors.length === 0) return () => true;
  const tests = selectors.map(selector =>
    (['group', 'version', 'kind', 'name', 'namespace'] as const).flatMap(part => {
      const pattern = own(selector, part) === undefined ? undefined : text(selector, part);
      return pattern === undefined || (pattern === '' && part !== 'group') ? [] : [{part, test: compileGlob(pattern)}];
    }),
  );
  return resource => {
    const parts = partsOf(resource);
    return tests.some(test => test.every(({part, test: fits}) => fits(parts[part])));
  };
}

function partsOf(resource: JsonObject) {
  const apiVersion = textOf(own(resource, 'apiVersion'));
  const slash = apiVersion.indexOf('/');
  const metadata = own(resource, 'metadata');
  const of = isObject(metadata) ? metadata : {};
  return {
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind: textOf(own(resource, 'kind')),
    name: textOf(own(of, 'name')),
    namespace: textOf(ownPath(of, 'namespace')),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
