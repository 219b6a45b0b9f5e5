import {celPolicy} from '../../e2e/support/cel-policies.js';
import type {Thing} from '../../e2e/support/policies.js';
import {configMap, labelRule, policy} from '../../e2e/support/samples.js';

/** Policies of both families, and what they work on; versions of today and of the first release take all of them. */
export const namespaces = ['shop', 'office', 'yard', 'origin'];

const inShop = {kinds: ['ConfigMap'], namespaces: ['shop']};
const constraints = (operations: readonly string[]) => ({
  matchConstraints: {
    namespaceSelector: {matchLabels: {'kubernetes.io/metadata.name': 'shop'}},
    resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations, resources: ['configmaps']}],
  },
});

function onLabel(name: string, from: string, rule: object): Thing {
  const match = {any: [{resources: {...inShop, selector: {matchLabels: {from}}}}]};
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name}, spec: {rules: [{name: 'rule', match, ...rule}]}};
}

export const classicPolicies: readonly Thing[] = [
  policy('wants-owner', {rules: [labelRule('owner', inShop)], spec: {background: true}}),
  policy('wants-team', {rules: [labelRule('team', inShop)], spec: {validationFailureAction: 'Audit', background: true}}),
  policy('stamps', {rules: [{...inShop, mutate: {patchStrategicMerge: {metadata: {labels: {stamped: 'yes'}}}}}]}),
  onLabel('copies', 'data', {
    generate: {apiVersion: 'v1', kind: 'ConfigMap', name: '{{ request.object.metadata.name }}-copy', namespace: 'office', synchronize: true, data: {data: {level: '{{ request.object.data.level }}'}}},
  }),
  onLabel('clones', 'clone', {
    generate: {apiVersion: 'v1', kind: 'ConfigMap', name: '{{ request.object.metadata.name }}-clone', namespace: 'office', synchronize: true, clone: {namespace: 'origin', name: 'original'}},
  }),
  onLabel('marks', 'mark', {
    mutate: {targets: [{apiVersion: 'v1', kind: 'ConfigMap', namespace: 'office', name: 'ledger'}], patchStrategicMerge: {data: {last: '{{ request.object.metadata.name }}'}}},
  }),
];

export const celPolicies: readonly Thing[] = [
  celPolicy('ValidatingPolicy', 'cel-level', {
    spec: {
      ...constraints(['CREATE', 'UPDATE']),
      validationActions: ['Deny'],
      validations: [{expression: "object.?data.?level.orValue('') != 'forbidden'", message: 'this level is forbidden'}],
    },
  }),
  celPolicy('MutatingPolicy', 'cel-stamps', {
    spec: {...constraints(['CREATE', 'UPDATE']), mutations: [{patchType: 'ApplyConfiguration', applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'celstamped': 'yes'}}}"}}]},
  }),
  celPolicy('GeneratingPolicy', 'cel-makes', {
    spec: {
      ...constraints(['CREATE', 'UPDATE']),
      matchConditions: [{name: 'asked', expression: "object.metadata.?labels.?from.orValue('') == 'cel'"}],
      evaluation: {synchronize: {enabled: true}},
      generate: [{expression: 'generator.Apply("office", [{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"), "metadata": dyn({"name": object.metadata.name + "-made", "namespace": "office"})}])'}],
    },
  }),
];

export const cleanup: Thing = {
  apiVersion: 'kyverno.io/v2',
  kind: 'ClusterCleanupPolicy',
  metadata: {name: 'sweeps'},
  spec: {schedule: '* * * * *', match: {any: [{resources: {kinds: ['ConfigMap'], namespaces: ['yard'], selector: {matchLabels: {sweep: 'now'}}}}]}},
};

export const exception: Thing = {
  apiVersion: 'kyverno.io/v2',
  kind: 'PolicyException',
  metadata: {name: 'guests', namespace: 'shop'},
  spec: {exceptions: [{policyName: 'wants-owner', ruleNames: ['has-owner']}], match: {any: [{resources: {kinds: ['ConfigMap'], namespaces: ['shop'], names: ['guest-*']}}]}},
};

export const original = configMap('original', {namespace: 'origin', data: {key: 'a'}});
export const ledger = configMap('ledger', {namespace: 'office', data: {opened: 'yes'}});

/** An object in the shop that all policies let in. */
export function owned(name: string, {from, level = 'low'}: {readonly from?: string; readonly level?: string} = {}): Thing {
  return configMap(name, {labels: {owner: 'jane', team: 'blue', ...(from !== undefined && {from})}, data: {level}});
}

/** Without the label that only an Audit policy wants: a failing result in its report. */
export const teamless = configMap('teamless', {labels: {owner: 'jane'}});

export const triggers: readonly Thing[] = [owned('one', {from: 'data'}), owned('two', {from: 'clone'}), owned('three', {from: 'cel'}), owned('four', {from: 'mark'})];
export const made = ['one-copy', 'two-clone', 'three-made'];
