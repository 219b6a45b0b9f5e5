import {parse} from 'yaml';
import type {JsonObject} from '../../json/types.js';

export function yamlObject(text: string): JsonObject {
  return parse(text, {version: '1.1', uniqueKeys: false}) as JsonObject;
}

/** A ClusterPolicy with one good validate rule on Pods; `rule` replaces parts of it (null removes), `spec` adds. */
export function policyWith(rule: string, spec = '{}', kind: 'ClusterPolicy' | 'Policy' = 'ClusterPolicy'): JsonObject {
  const base: JsonObject = {
    name: 'r',
    match: {any: [{resources: {kinds: ['Pod']}}]},
    validate: {pattern: {metadata: {name: '?*'}}},
  };
  return {
    apiVersion: 'kyverno.io/v1',
    kind,
    metadata: {name: 'p', ...(kind === 'Policy' ? {namespace: 'team'} : {})},
    spec: {...yamlObject(spec), rules: [{...base, ...yamlObject(rule)}]},
  };
}
