import {compilePolicy} from '../compile/compile-policy.js';
import {stringifyJson} from '../json/stringify.js';
import {type JsonObject, ownPath} from '../json/types.js';
import type {ClassicPolicy, ClassicRule} from '../policy/model.js';
import {createEngine} from '../run/create-engine.js';
import {PolicySnapshot} from '../snapshot/policy-snapshot.js';
import type {Engine, EngineRequest, MutateResponse} from '../types.js';
import {buildSamples} from './build-samples.js';
import type {Finding, LintOptions} from './types.js';

export const idempotenceRule = {
  id: 'mutation-not-idempotent',
  severity: 'error',
  summary: 'A rule that changes its own result again makes objects that never rest',
  hint: 'write what the value should be instead of what to do to it: a condition that holds only before the change, or +( ) for defaults',
} as const;

/** Runs each mutate rule on its own outcome: the second run must not change anything. */
export async function lintIdempotence(policy: ClassicPolicy, options: LintOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const rule of policy.spec.rules) {
    if (rule.action.type !== 'mutate' || rule.action.targets !== undefined) continue;
    const engine = engineFor(policy, rule, options);
    if (engine === undefined) continue;
    for (const sample of [...(options.samples ?? []), ...buildSamples(rule, options.resources)]) {
      const second = await secondRun(engine, policy, {sample, options});
      const [operation] = second?.patch ?? [];
      if (operation === undefined) continue;
      const value = operation.value === undefined ? '' : ` ${stringifyJson(operation.value).slice(0, 80)}`;
      findings.push({
        ...idempotenceRule,
        rule: rule.name,
        path: `${rule.path}.mutate`,
        message: `run again on its own result, the rule changes it again: ${operation.op} ${operation.path}${value} (${String(sample['kind'])} ${nameOf(sample)})`,
      });
      break;
    }
  }
  return findings.map(({id, severity, message, hint, path, rule}) => ({id, severity, message, hint, path, rule}));
}

function engineFor(
  policy: ClassicPolicy,
  rule: ClassicRule,
  {loader, regex, resources}: LintOptions,
): Engine | undefined {
  const alone: ClassicPolicy = {...policy, spec: {...policy.spec, rules: [rule], matchConditions: []}};
  const {policy: compiled} = compilePolicy(alone, {matchConditions: 'by-api-server', background: 'served'});
  if (compiled === undefined) return undefined;
  return createEngine({
    policies: {current: PolicySnapshot.of([compiled], [])},
    loader,
    regex,
    resources: () => resources,
  });
}

/** `undefined` where the rule has nothing to do with the sample, or cannot be run on it. */
async function secondRun(
  engine: Engine,
  policy: ClassicPolicy,
  {sample, options}: {sample: JsonObject; options: LintOptions},
): Promise<MutateResponse | undefined> {
  const call = {only: [policy.ref.key], deadline: Number.POSITIVE_INFINITY};
  const first = await engine.mutate(requestOf(sample, options), call);
  if (first.patch.length === 0 || first.object === undefined || failed(first)) return undefined;
  const second = await engine.mutate(requestOf(first.object, options), call);
  return failed(second) ? undefined : second;
}

function failed({results}: MutateResponse): boolean {
  return results.some(({rules}) => rules.some(({status}) => status === 'error' || status === 'fail'));
}

function requestOf(object: JsonObject, {resources}: LintOptions): EngineRequest {
  const apiVersion = String(object['apiVersion'] ?? '');
  const slash = apiVersion.indexOf('/');
  const kind = {
    group: slash === -1 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind: String(object['kind'] ?? ''),
  };
  const info = resources.find(kind.kind).find(known => known.group === kind.group);
  const resource = {
    group: kind.group,
    version: kind.version,
    resource: info?.resource ?? `${kind.kind.toLowerCase()}s`,
  };
  const namespace = ownPath(object, 'metadata', 'namespace');
  const name = nameOf(object);
  return {
    uid: '',
    kind,
    resource,
    subResource: '',
    namespace: kind.kind === 'Namespace' ? name : typeof namespace === 'string' ? namespace : '',
    name,
    operation: 'CREATE',
    object,
    oldObject: undefined,
    user: undefined,
    dryRun: false,
    raw: {kind: {...kind}, resource: {...resource}, name, operation: 'CREATE', dryRun: false},
  };
}

function nameOf(object: JsonObject): string {
  const name = ownPath(object, 'metadata', 'name');
  return typeof name === 'string' ? name : '';
}
