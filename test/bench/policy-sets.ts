import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parse, stringify} from 'yaml';
import {isObject, type JsonObject, own} from '../../engine/json/types.js';

/** The 17 ClusterPolicies of the bench, by name. */
export function podPolicies(): JsonObject[] {
  return readFolder('policies');
}

/** The 16 ValidatingPolicies of the bench, by name: what the ClusterPolicies ask, in CEL. */
export function celPodPolicies(): JsonObject[] {
  return readFolder('cel-policies');
}

/** Where the API server would send requests about these ValidatingPolicies. */
export function celPath(policies: readonly JsonObject[]): string {
  return `/vpol/${policies.map(policyName).join('/')}`;
}

function readFolder(name: string): JsonObject[] {
  const folder = join(import.meta.dirname, name);
  return readdirSync(folder)
    .filter(name => name.endsWith('.yaml'))
    .sort()
    .map(name => parse(readFileSync(join(folder, name), 'utf8')) as JsonObject);
}

/** `total` policies of which the 17 match a Pod: the rest differ in kind, in namespace, or in names and labels, by thirds. */
export function crowdedPolicies(total: number): JsonObject[] {
  const policies = podPolicies();
  const rest = total - policies.length;
  return [...policies, ...Array.from({length: rest}, (_, index) => bystander(index))];
}

function bystander(index: number): JsonObject {
  switch (index % 3) {
    case 0:
      return clusterPolicy(`settings-${index}`, {kinds: ['ConfigMap']});
    case 1:
      return namespaced(`elsewhere-${index}`, 'elsewhere');
    default:
      return clusterPolicy(
        `other-pods-${index}`,
        index % 2 === 0
          ? {kinds: ['Pod'], names: [`batch-${index}-*`]}
          : {kinds: ['Pod'], selector: {matchLabels: {'example.org/tier': `tier-${index}`}}},
      );
  }
}

/** Namespaced policies over as many namespaces as a large cluster has. */
export function namespacedPolicies(total: number): JsonObject[] {
  return Array.from({length: total}, (_, index) => namespaced(`own-${index}`, `team-${index % 350}`));
}

function namespaced(name: string, namespace: string): JsonObject {
  return {...clusterPolicy(name, {kinds: ['Pod']}), kind: 'Policy', metadata: {name, namespace}};
}

function clusterPolicy(name: string, resources: JsonObject): JsonObject {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name},
    spec: {
      rules: [
        {
          name: 'owner-is-named',
          match: {any: [{resources}]},
          validate: {
            failureAction: 'Enforce',
            message: `An owner is named (${name}).`,
            pattern: {metadata: {labels: {'example.org/owner': '?*'}}},
          },
        },
      ],
    },
  };
}

/** Writes policies as files of a hundred documents each. */
export function writePolicies(target: string, policies: readonly JsonObject[]): string {
  mkdirSync(target, {recursive: true});
  for (let start = 0; start < policies.length; start += 100) {
    const documents = policies.slice(start, start + 100).map(policy => stringify(policy));
    writeFileSync(join(target, `policies-${String(start).padStart(5, '0')}.yaml`), documents.join('---\n'));
  }
  return target;
}

export function policyName(policy: JsonObject): string {
  const metadata = own(policy, 'metadata');
  return String(isObject(metadata) ? own(metadata, 'name') : undefined);
}
