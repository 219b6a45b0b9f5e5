import {loadCelException} from '../../engine/cel-policies/load/load-cel-exception.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import {explainCelPolicy, explainPolicy, type PolicyExplanation, type RuleExplanation} from '../../engine/explain/index.js';
import {type CompiledException, compileException} from '../../engine/exception/compile-exception.js';
import type {JsonObject} from '../../engine/json/types.js';
import {loadException} from '../../engine/policy/index.js';
import {PolicySnapshot} from '../../engine/snapshot/policy-snapshot.js';
import type {EngineRequest} from '../../engine/types.js';
import {nameOf} from '../files/load-policies.js';
import type {OfflineWorld} from '../offline/evaluate.js';
import type {PreparedPolicy} from '../offline/prepare-policies.js';
import {offlineRequest} from '../offline/request.js';
import {keyOf} from '../offline/responses.js';
import type {Explained} from './types.js';

export interface Subject {
  readonly object: JsonObject;
  readonly old?: JsonObject | undefined;
  /** As values say when absent; UPDATE with an old object, else CREATE. */
  readonly operation?: string | undefined;
}

/** One policy on one object, in the world of an offline run; `rule` keeps it and what is derived from it. */
export async function explainOne(
  policy: PreparedPolicy,
  world: OfflineWorld,
  subject: Subject & {readonly rule?: string | undefined},
): Promise<Explained> {
  const {rule} = subject;
  const rules: RuleExplanation[] = [];
  let operation = requestFor(policy, world, subject).operation;
  if (policy.compiled !== undefined) {
    const {explanation, request} = await explainCompiled(policy.compiled, policy, world, subject);
    rules.push(...explanation.rules);
    operation = request.operation;
  }
  if (policy.cel !== undefined) {
    const request = requestFor(policy, world, subject);
    const {loader, regex, resources} = world;
    const exceptions = (world.celExceptions ?? []).flatMap(raw => loadCelException(raw).policy ?? []);
    const options = {policy: policy.cel, request, exceptions, loader, regex, resources: () => resources, allowHttp: true};
    rules.push(...(await explainCelPolicy(options)).rules);
    operation = request.operation;
  }
  for (const {name, phase, reason} of policy.unserved)
    rules.push(unserved(name, phase === 'verifyImages' ? 'ImageVerify' : 'Validation', reason));
  if (policy.refusal !== undefined) rules.push(unserved('', 'Validation', policy.refusal));
  return {
    policy: {
      apiVersion: String(policy.raw['apiVersion'] ?? ''),
      kind: policy.kind,
      namespace: policy.namespace,
      name: policy.name,
    },
    resource: {...keyOf(subject.object)},
    operation,
    rules: rule === undefined ? rules : rules.filter(found => found.rule === rule || found.derived?.from === rule),
  };
}

export async function explainCompiled(
  compiled: CompiledPolicy,
  policy: PreparedPolicy,
  world: OfflineWorld,
  subject: Subject,
): Promise<{readonly explanation: PolicyExplanation; readonly request: EngineRequest}> {
  const request = requestFor(policy, world, subject);
  const explanation = await explainPolicy({
    policy: compiled,
    request,
    snapshot: PolicySnapshot.of([compiled], exceptionsOf(world)),
    loader: world.loader,
    regex: world.regex,
    resources: world.resources,
    given: world.values,
  });
  return {explanation, request};
}

function requestFor(policy: PreparedPolicy, world: OfflineWorld, {object, old, operation}: Subject): EngineRequest {
  const subject = world.values.overlay(policy.name, object);
  const given = world.values.operation(policy.name, nameOf(object));
  const otherwise = old === undefined ? 'CREATE' : 'UPDATE';
  const base = offlineRequest({
    object: subject,
    operation: operation ?? (typeof given === 'string' && given !== '' ? given : otherwise),
    user: world.user,
    resources: world.resources,
    subresources: world.subresources,
  });
  return old === undefined || base.operation !== 'UPDATE' ? base : {...base, oldObject: old};
}

function unserved(rule: string, type: RuleExplanation['type'], message: string): RuleExplanation {
  return {
    rule,
    type,
    path: '',
    outcome: 'not-served',
    variables: [],
    exceptions: [],
    results: [{status: 'error', message, action: 'Enforce'}],
  };
}

const compiledExceptions = new WeakMap<OfflineWorld, readonly CompiledException[]>();

/** Every exception frees objects anywhere, as its author wants to see. */
function exceptionsOf(world: OfflineWorld): readonly CompiledException[] {
  const known = compiledExceptions.get(world);
  if (known !== undefined) return known;
  const compiled = world.exceptions.flatMap(raw => {
    const {policy} = loadException(raw);
    return policy === undefined
      ? []
      : [compileException(policy, {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'})];
  });
  compiledExceptions.set(world, compiled);
  return compiled;
}
