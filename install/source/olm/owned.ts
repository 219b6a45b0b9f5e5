import {catalogue} from '../../../scripts/crd/catalogue.js';
import type {Definition} from '../../../scripts/crd/definition.js';
import type {SchemaNode} from '../../../scripts/crd/schema.js';
import {exampleName, exampleSpecs} from './examples.js';

interface Descriptor {
  readonly path: string;
  readonly displayName: string;
  readonly description?: string;
  readonly 'x-descriptors'?: readonly string[];
}

/** Kinds that the operator writes for itself; consoles hide them. */
const internal = new Set(['UpdateRequest', 'EphemeralReport', 'ClusterEphemeralReport']);

const webhooks = [
  {kind: 'ValidatingWebhookConfiguration', version: 'v1', name: ''},
  {kind: 'MutatingWebhookConfiguration', version: 'v1', name: ''},
];
const reports = [
  {kind: 'PolicyReport', version: 'v1alpha2', name: ''},
  {kind: 'ClusterPolicyReport', version: 'v1alpha2', name: ''},
];

/** What comes with an object of the kind, for consoles. */
function resourcesOf({kind}: Definition): ReadonlyArray<{readonly kind: string; readonly version: string; readonly name: string}> {
  if (/^(Cluster)?Policy$|(Validating|Mutating)Policy$/.test(kind)) return [...webhooks, ...reports];
  if (kind.endsWith('GeneratingPolicy')) return [...webhooks, {kind: 'UpdateRequest', version: 'v2', name: ''}];
  if (kind === 'KyvernoConfiguration') return [{kind: 'Deployment', version: 'v1', name: 'kyverno'}, ...webhooks];
  return [{kind: 'Event', version: 'v1', name: ''}];
}

/** `validationFailureAction` → Validation Failure Action. */
function wordsOf(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

const ui = 'urn:alm:descriptor:com.tectonic.ui';

function hintsOf(path: string, node: SchemaNode): readonly string[] {
  if (path === 'conditions') return ['urn:alm:descriptor:io.kubernetes.conditions'];
  if (node.type === 'boolean') return [`${ui}:booleanSwitch`];
  if (node.type === 'integer' || node.type === 'number') return [`${ui}:number`];
  if (node.enum !== undefined) return node.enum.map(choice => `${ui}:select:${choice}`);
  return node.type === 'string' ? [`${ui}:text`] : [];
}

function descriptors(node: SchemaNode | undefined): readonly Descriptor[] {
  return Object.entries(node?.properties ?? {}).map(([path, field]) => {
    const hints = hintsOf(path, field);
    const sentence = field.description?.split('\n')[0];
    return {path, displayName: wordsOf(path), ...(sentence !== undefined && {description: sentence}), ...(hints.length > 0 && {'x-descriptors': hints})};
  });
}

/** One entry per version that is served: `customresourcedefinitions.owned`. */
export function ownedDefinitions(): readonly object[] {
  return catalogue.flatMap(definition => {
    const {group, kind, plural, description, properties, versions} = definition;
    const {spec, status} = properties;
    return versions.map(version => ({
      name: `${plural}.${group}`,
      kind,
      version: version.name,
      displayName: wordsOf(kind),
      description: description.split('\n')[0]!,
      resources: resourcesOf(definition),
      ...(spec !== undefined && {specDescriptors: descriptors(spec)}),
      ...(status !== undefined && {statusDescriptors: descriptors(status)}),
    }));
  });
}

/** `alm-examples`: an object of each owned version whose kind people write. */
export function almExamples(): readonly object[] {
  return catalogue.flatMap(({group, kind, scope, versions}) => {
    const spec = exampleSpecs[`${group}/${kind}`];
    if (spec === undefined) return [];
    return versions.map(version => ({
      apiVersion: `${group}/${version.name}`,
      kind,
      metadata: {name: exampleName(kind), ...(scope === 'Namespaced' && {namespace: 'default'})},
      spec,
    }));
  });
}

export function internalObjects(): readonly string[] {
  return catalogue.filter(({kind}) => internal.has(kind)).map(({group, plural}) => `${plural}.${group}`);
}
