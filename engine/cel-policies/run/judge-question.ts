import {Decision} from '../../cel/authz/decision.js';
import type {RuleRun} from '../../context/rule-run.js';
import {BudgetError, EvalError} from '../../diagnostic.js';
import {isObject, type Json, type JsonObject, own} from '../../json/types.js';
import type {CelSnapshot} from '../snapshot/cel-snapshot.js';
import type {CompiledCelPolicy} from '../types.js';
import {conditionsHold} from './conditions.js';
import {exemptionFor} from './exceptions.js';
import {noRequest} from './judge-payload.js';
import {failure} from './judge-variant.js';
import type {CelVerdict} from './results.js';
import {PolicyScope} from './scope.js';
import {payloadData} from './scope-data.js';

const notMatched: CelVerdict = {rule: '', status: 'skip', message: 'request does not match'};

/** A policy for proxies on what a proxy asks: the first expression that comes to an answer decides. */
export function judgeQuestion(
  policy: CompiledCelPolicy,
  question: Json,
  host: RuleRun,
  snapshot: CelSnapshot,
): CelVerdict {
  const [variant] = policy.variants;
  if (variant?.behaviour.type !== 'validating') throw new Error(`${policy.ref.kind} answers no questions`);
  const {behaviour, plan} = variant;
  try {
    const {exceptions} = snapshot.exceptionsFor(policy, variant);
    const object = completed(question, behaviour.model.spec.mode);
    const scope = new PolicyScope(plan, {...payloadData, object}, {host, request: noRequest});
    const exemption = exemptionFor(exceptions, scope, true);
    if (exemption.type === 'full') return exemption.verdict;
    if (!conditionsHold(behaviour.conditions, scope)) return notMatched;
    for (const {program} of behaviour.rules.programs) {
      const answer = program.evaluate(scope.bindings, scope.host);
      if (answer === null) continue;
      if (!(answer instanceof Decision)) throw new EvalError('an expression must come to a response or to null');
      return answer.allowed
        ? {rule: '', status: 'pass', message: 'success'}
        : {rule: '', status: 'fail', message: answer.reason};
    }
    return notMatched;
  } catch (thrown) {
    const lenient =
      policy.failurePolicy === 'Ignore' && thrown instanceof EvalError && !(thrown instanceof BudgetError);
    return lenient ? notMatched : failure('', 'error', thrown);
  }
}

const questions: Readonly<Record<string, JsonObject>> = {
  HTTP: {
    method: '',
    header: {},
    host: '',
    protocol: '',
    contentLength: 0,
    body: '',
    scheme: '',
    path: '',
    query: {},
    fragment: '',
  },
  Envoy: {
    source: {},
    destination: {},
    contextExtensions: {},
    request: {
      http: {
        id: '',
        method: '',
        headers: {},
        path: '',
        host: '',
        scheme: '',
        query: '',
        fragment: '',
        size: 0,
        protocol: '',
        body: '',
      },
    },
  },
};

/** A proxy leaves out what is empty; expressions may rely on every field of its question. */
function completed(question: Json, mode: string): JsonObject {
  const given = isObject(question) ? question : {};
  return merged({attributes: questions[mode] ?? {}}, given);
}

function merged(defaults: JsonObject, given: JsonObject): JsonObject {
  const result: JsonObject = {...defaults, ...given};
  for (const key of Object.keys(defaults)) {
    const [base, value] = [own(defaults, key), own(given, key)];
    if (isObject(base) && isObject(value)) result[key] = merged(base, value);
  }
  return result;
}
