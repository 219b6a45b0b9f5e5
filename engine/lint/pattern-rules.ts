import {isObject, type Json} from '../json/types.js';
import type {LintRule} from './types.js';
import {type PatternNode, patternNodes, patternsOf} from './walk.js';

/** Fields that are often absent. */
const optionalLists = new Set([
  'initContainers',
  'ephemeralContainers',
  'volumes',
  'imagePullSecrets',
  'hostAliases',
  'ports',
  'env',
  'envFrom',
  'volumeMounts',
]);
/** Fields whose absence means what a pattern that forbids wants. */
const optionalFields = new Set([
  'securityContext',
  'capabilities',
  'privileged',
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'hostPath',
  'hostPort',
  'procMount',
  'sysctls',
  'seLinuxOptions',
]);

/** Fields that count as set when they are absent. */
const onByDefault = new Set(['allowPrivilegeEscalation', 'automountServiceAccountToken', 'enableServiceLinks']);

/** A leaf that is satisfied by nothing at all in the author's mind: false, a negated text, null, zero. */
function forbids(value: Json): boolean {
  if (isObject(value)) {
    const entries = Object.entries(value);
    return entries.length > 0 && entries.every(([key, item]) => !onByDefault.has(key) && forbids(item));
  }
  if (Array.isArray(value)) return value.length > 0 && value.every(forbids);
  if (typeof value === 'string') return value.startsWith('!') || value === 'false' || value === 'null' || value === '0';
  return value === false || value === null || value === 0;
}

/** The innermost guard above: below an anchor the author has thought of absence. */
function isGuarded(node: PatternNode, guards: readonly string[]): boolean {
  return guards.some(guard => node.path.startsWith(`${guard}.`) || node.path.startsWith(`${guard}[`));
}

const optionalKeyRequired: LintRule = {
  id: 'optional-key-required',
  severity: 'warning',
  summary: 'A plain key wants the field to be there: objects without it fail',
  hint: 'write the key as =(key) where absence is fine',
  *check({rule}) {
    for (const {pattern, path} of patternsOf(rule)) {
      const reported: string[] = [];
      for (const node of patternNodes(pattern, path)) {
        if (node.anchor !== undefined || isGuarded(node, reported)) continue;
        const list =
          optionalLists.has(node.name) &&
          Array.isArray(node.value) &&
          isObject(node.value[0]) &&
          (node.name === 'initContainers' || node.name === 'ephemeralContainers' || onlyForbids(node.value));
        const field = optionalFields.has(node.name) && forbids(node.value);
        if (!list && !field) continue;
        reported.push(node.path);
        yield {
          path: node.path,
          message: `objects without ${node.name} fail this pattern`,
          hint: `write =(${node.name})${field && isObject(node.value) ? ` and =( ) for the keys below it` : ''} if they should pass`,
        };
      }
    }
  },
};

function onlyForbids(list: readonly Json[]): boolean {
  return list.every(
    item =>
      isObject(item) &&
      Object.entries(item).every(
        ([key, value]) => forbids(value) || /^X\(/.test(key) || (key === 'name' && (value === '*' || value === '?*')),
      ),
  );
}

/** Fields that hold maps or lists. */
const structures = new Set([
  'resources',
  'limits',
  'requests',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'securityContext',
  'lifecycle',
  'affinity',
  'selector',
  'template',
  'metadata',
  'spec',
  'capabilities',
  'tolerations',
  'volumes',
  'containers',
  'initContainers',
  'topologySpreadConstraints',
  'nodeSelector',
]);

const textForStructure: LintRule = {
  id: 'text-pattern-for-structure',
  severity: 'warning',
  summary: '?* speaks of texts: elsewhere it fails on maps and lists',
  hint: 'write "*" to ask that the field is there, or name the fields that it must have',
  *check({rule}) {
    for (const {pattern, path} of patternsOf(rule)) {
      for (const {name, value, path: at, above} of patternNodes(pattern, path)) {
        const tags = (name === 'labels' || name === 'annotations') && above.at(-1) === 'metadata';
        if (value === '?*' && (tags || structures.has(name)))
          yield {path: at, message: `${name} is no text; ?* asks for one of at least one character`};
      }
    }
  },
};

const containerLevelOnly: LintRule = {
  id: 'container-level-only',
  severity: 'info',
  summary: 'A setting of the Pod counts for its containers, but a pattern on containers does not see it',
  hint: 'use anyPattern with one alternative for spec.securityContext and one for the containers',
  *check({rule}) {
    for (const {pattern, path, alternatives} of patternsOf(rule)) {
      if (alternatives > 1) continue;
      const nodes = [...patternNodes(pattern, path)];
      for (const {name, value, anchor, path: at, above} of nodes) {
        if (anchor !== undefined || !['runAsNonRoot', 'runAsUser', 'runAsGroup', 'seccompProfile'].includes(name))
          continue;
        if (above.at(-1) !== 'securityContext' || !above.some(key => key === 'containers') || forbids(value)) continue;
        if (nodes.some(other => other.name === name && !other.above.some(key => /ontainers$/.test(key)))) continue;
        yield {path: at, message: `only the containers' own ${name} is looked at; the Pod's setting does not help`};
      }
    }
  },
};

export const patternRules: readonly LintRule[] = [optionalKeyRequired, textForStructure, containerLevelOnly];
