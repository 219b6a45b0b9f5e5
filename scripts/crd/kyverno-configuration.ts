import type {FlagKind} from '../../operator/config/flag-kinds.js';
import {flagTable} from '../../operator/config/flag-table.js';
import {type ConfigKey, configKeys, type KeyForm, type MetricsKey, metricsKeys, resourceFlags} from '../../operator/settings/setting-keys.js';
import {configTexts, flagTexts, metricsTexts} from '../../operator/settings/setting-texts.js';
import {age, type Definition} from './definition.js';
import {as, flag, int64, list, map, named, number, object, requiring, type SchemaNode, text, textMap, texts} from './schema.js';
import {labelSelector} from './selector.js';
import {conditions, observedGeneration} from './status-condition.js';

/** Schemas of the keys that are JSON in a ConfigMap. */
const shapes = {
  webhooks: object('', {
    namespaceSelector: as(labelSelector, 'By labels of the namespace.'),
    objectSelector: as(labelSelector, 'By labels of the object.'),
  }),
  webhookAnnotations: textMap(''),
  webhookLabels: textMap(''),
  matchConditions: list('', named('WebhookMatchCondition', 'A match condition of our webhooks.', {name: text('Name.'), expression: text('CEL.')})),
  namespaces: object('', {include: texts('Only these.'), exclude: texts('Never these.')}),
  metricsExposure: map(
    '',
    named('MetricExposure', 'How a metric is shown.', {
      enabled: flag('False: not at all.'),
      disabledLabelDimensions: texts('Labels that are left out.'),
      bucketBoundaries: list('Own upper bounds in seconds.', {type: 'number'}),
    }),
  ),
} as const satisfies Partial<Record<ConfigKey | MetricsKey, SchemaNode>>;

const forms: Readonly<Record<Exclude<KeyForm, 'json'>, (description: string) => SchemaNode>> = {
  boolean: flag,
  integer: int64,
  number,
  text,
  texts,
  filters: texts,
  numbers: description => list(description, {type: 'number'}),
};

function sentence(description: string): string {
  return `${description.slice(0, 1).toUpperCase()}${description.slice(1)}.`;
}

function keyNode(key: string, form: KeyForm, description: string): SchemaNode {
  if (form !== 'json') return forms[form](sentence(description));
  const shape: Readonly<Record<string, SchemaNode>> = shapes;
  if (!Object.hasOwn(shape, key)) throw new Error(`no schema for the key ${key}`);
  return as(shape[key]!, sentence(description));
}

const kinds = new Map<string, FlagKind<unknown>>(Object.entries(flagTable));

function flagNode(name: (typeof resourceFlags)[number]): SchemaNode {
  const {form, allowed, inert, initial} = kinds.get(name)!;
  const takes = typeof initial === 'boolean' || allowed === 'any text' ? '' : ` Takes ${allowed}.`;
  return forms[form](`${sentence(flagTexts[name])}${takes}${inert ? ' No effect in this release.' : ''}`);
}

const spec = named('KyvernoConfigurationSpec', 'Settings; an absent key leaves ConfigMap, flag, environment or default in force.', {
  ...Object.fromEntries(Object.entries(configKeys).map(([key, form]) => [key, keyNode(key, form, configTexts[key as ConfigKey])])),
  metrics: object(
    'How metrics are counted and shown.',
    Object.fromEntries(Object.entries(metricsKeys).map(([key, form]) => [key, keyNode(key, form, metricsTexts[key as MetricsKey])])),
  ),
  ...Object.fromEntries(resourceFlags.map(name => [name, flagNode(name)])),
});

const status = named('KyvernoConfigurationStatus', 'What is in force, and where it comes from.', {
  observedGeneration,
  conditions,
  effective: {
    ...list(
      'Every setting as the leading replica has it; URLs without credentials and query.',
      requiring(
        named('EffectiveSetting', 'One setting.', {
          key: text('Key as in spec.'),
          value: text('Value as a flag or a ConfigMap would have it.'),
          source: text('Source: default, environment, flag, configMap or resource.'),
        }),
        'key',
        'source',
      ),
    ),
  },
  rejectedKeys: list(
    'Keys that cannot be used; the source below is in force.',
    requiring(
      named('RejectedKey', 'One key.', {
        key: text('Key as in spec.'),
        source: text('Source: resource, or configMap.'),
        reason: text('What is wrong with it.'),
      }),
      'key',
    ),
  ),
});

export const kyvernoConfiguration: Definition = {
  group: 'operator.kyverno-ts.io',
  kind: 'KyvernoConfiguration',
  plural: 'kyvernoconfigurations',
  scope: 'Cluster',
  shortNames: ['kyvernoconfig'],
  categories: ['kyverno'],
  versions: [{name: 'v1alpha1', storage: true}],
  columns: [
    {name: 'READY', type: 'string', jsonPath: '.status.conditions[?(@.type == "Ready")].status'},
    {name: 'RESTART NEEDED', type: 'string', jsonPath: '.status.conditions[?(@.type == "RestartNeeded")].status'},
    age,
  ],
  description: 'Settings of the operator; there is one, named default, or none.',
  properties: {spec, status},
  validations: [{rule: "self.metadata.name == 'default'", message: 'there is one KyvernoConfiguration, named default'}],
};
