import type {JsonObject} from '../../engine/json/types.js';
import {FileError} from '../files/file-error.js';
import {pairs} from './write-out.js';

export interface CreateValuesOptions {
  /** `key=value`. */
  readonly global: readonly string[];
  /** `namespace,label=value,…`. */
  readonly nsSelector: readonly string[];
  /** `policy,rule,key=value,…`. */
  readonly rule: readonly string[];
  /** `policy,resource,key=value,…`. */
  readonly resource: readonly string[];
}

interface PolicyValues {
  readonly name: string;
  readonly rules: JsonObject[];
  readonly resources: JsonObject[];
}

/** A Values file: values by policy, each policy once. */
export function createValues(options: CreateValuesOptions): JsonObject {
  const policies = new Map<string, PolicyValues>();
  const add = (kind: 'rules' | 'resources', flag: string, text: string) => {
    const [policy = '', name = '', ...values] = text.split(',');
    if (policy === '' || name === '' || values.length === 0) {
      throw new FileError(`--${flag}: ${JSON.stringify(text)} is not of the form policy,${flag},key=value,…`);
    }
    const entry = policies.get(policy) ?? {name: policy, rules: [], resources: []};
    policies.set(policy, entry);
    entry[kind].push({name, values: pairs(values, flag)});
  };
  for (const text of options.rule) add('rules', 'rule', text);
  for (const text of options.resource) add('resources', 'resource', text);
  const namespaces = options.nsSelector.map(text => {
    const [name = '', ...labels] = text.split(',');
    if (name === '' || labels.length === 0) {
      throw new FileError(`--ns-selector: ${JSON.stringify(text)} is not of the form namespace,label=value,…`);
    }
    return {name, labels: pairs(labels, 'ns-selector')};
  });
  return {
    apiVersion: 'cli.kyverno.io/v1alpha1',
    kind: 'Values',
    metadata: {name: 'values'},
    ...(options.global.length > 0 && {globalValues: pairs(options.global, 'global')}),
    ...(policies.size > 0 && {policies: [...policies.values()].map(policyValues)}),
    ...(namespaces.length > 0 && {namespaceSelector: namespaces}),
  };
}

function policyValues({name, rules, resources}: PolicyValues): JsonObject {
  return {name, ...(rules.length > 0 && {rules}), ...(resources.length > 0 && {resources})};
}
