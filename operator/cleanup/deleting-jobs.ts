import type {CelEngine} from '../../engine/cel-policies/run/create-cel-engine.js';
import type {DeletingPolicy, ResourceRule} from '../../engine/cel-policies/model.js';
import {parseSchedule} from '../../engine/cleanup/schedule.js';
import {EvalError} from '../../engine/diagnostic.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, own} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import {createdAt} from '../created-at.js';
import type {Core} from '../feature.js';
import {existingObjectRequest} from '../requests/existing-object.js';
import type {CleanupJob, CleanupTarget} from './cleanup-job.js';
import {readGuards} from './policy-annotations.js';

const judgeMs = 30_000;

/** A DeletingPolicy as a job; `undefined` when its schedule is none (refused as it is written). */
export function jobOfDeletingPolicy(policy: DeletingPolicy, tools: Pick<Core, 'resources' | 'clock'> & {readonly engine: CelEngine}): CleanupJob | undefined {
  const parsed = parseSchedule(policy.spec.schedule);
  if ('error' in parsed) return undefined;
  const {ref} = policy;
  const created = createdAt(policy.raw);
  const {dryRun, maxShare, problem} = readGuards(policy.annotations);
  const infos = new Map<string, KindInfo>();
  return {
    id: `${ref.kind}/${ref.key}`,
    policy: {apiVersion: ref.apiVersion, kind: ref.kind, namespace: ref.namespace, name: ref.name, uid: policy.uid},
    rule: '',
    schedule: parsed.schedule,
    created: Number.isNaN(created) ? tools.clock.now() : created,
    namespace: ref.namespace,
    propagation: policy.spec.deletionPropagationPolicy,
    labelSelector: undefined,
    dryRun,
    maxShare,
    guardProblem: problem,
    targets() {
      const rules = policy.spec.matchConstraints?.resourceRules ?? [];
      const unresolved: string[] = [];
      infos.clear();
      for (const rule of rules) {
        const found = kindsOf(rule, tools.resources().all());
        if (found.length === 0) unresolved.push(rule.resources.join(', '));
        for (const info of found) {
          const key = `${info.group}/${info.resource}`;
          if (!infos.has(key)) infos.set(key, info);
        }
      }
      return {found: [...infos.values()].map(targetOf), unresolved};
    },
    judge: () => async object => {
      const info = infos.get(keyOf(object, infos));
      if (info === undefined) return false;
      const call = {phase: 'any', kind: ref.kind, names: [ref.name], deadline: tools.clock.now() + judgeMs} as const;
      const {results} = await tools.engine.deletes(existingObjectRequest(object, info), call);
      const rules = results.filter(result => result.policy.key === ref.key).flatMap(result => result.rules);
      const failed = rules.find(rule => rule.status === 'error');
      if (failed !== undefined) throw new EvalError(failed.message);
      return rules.some(rule => rule.status === 'pass' && (rule.exceptions ?? []).length === 0);
    },
  };
}

/** Objects of a list carry the kind that their target has. */
function keyOf(object: JsonObject, infos: ReadonlyMap<string, KindInfo>): string {
  const kind = textOf(own(object, 'kind'));
  const apiVersion = textOf(own(object, 'apiVersion'));
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  for (const [key, info] of infos) if (info.kind === kind && info.group === group) return key;
  return '';
}

function kindsOf(rule: ResourceRule, all: readonly KindInfo[]): KindInfo[] {
  const fits = (wanted: readonly string[], value: string) => wanted.includes('*') || wanted.includes(value);
  return all.filter(
    info =>
      fits(rule.apiGroups, info.group) &&
      fits(rule.apiVersions, info.version) &&
      fits(rule.resources.map(resource => resource.split('/')[0] ?? ''), info.resource) &&
      (rule.scope === '*' || (rule.scope === 'Namespaced') === info.namespaced),
  );
}

function targetOf({group, version, resource, kind, namespaced}: KindInfo): CleanupTarget {
  return {group, version, resource, kind, namespaced};
}
