import {deepEqual} from '../../engine/json/equal.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {RuleStatus} from '../../engine/types.js';
import {Evaluator, type OfflineWorld} from '../offline/evaluate.js';
import type {PreparedPolicy} from '../offline/prepare-policies.js';
import {keyOf, keyText, type PolicyResponse} from '../offline/responses.js';

/** What a policy, in one form or the other, makes of a resource. */
export interface Verdict {
  /** The gravest of all rules; `skip` when there is nothing to say. */
  readonly status: RuleStatus;
  readonly messages: readonly string[];
  readonly patched: JsonObject;
  readonly generated: readonly JsonObject[];
}

export interface Comparison {
  /** `apps/v1/Deployment/default/web`. */
  readonly resource: string;
  readonly operation: string;
  readonly before: Verdict;
  readonly after: Verdict;
  /** Empty when both forms agree. */
  readonly differences: readonly string[];
}

export interface ProveOptions {
  /** The policy as it was. */
  readonly before: PreparedPolicy;
  /** What it was converted to. */
  readonly after: readonly PreparedPolicy[];
  readonly world: OfflineWorld;
  readonly resources: readonly JsonObject[];
  /** `undefined`: as values say, else CREATE. */
  readonly operations?: readonly (string | undefined)[];
}

/** Judges each resource by both forms. */
export async function prove({before, after, world, resources, operations = [undefined]}: ProveOptions): Promise<readonly Comparison[]> {
  const old = new Evaluator({...world, policies: [before]});
  const converted = new Evaluator({...world, policies: [...after]});
  const comparisons: Comparison[] = [];
  for (const operation of operations) {
    for (const resource of resources) {
      const [was, is] = [
        verdictOf(resource, await old.evaluate(resource, operation)),
        verdictOf(resource, await converted.evaluate(resource, operation)),
      ];
      comparisons.push({
        resource: keyText(keyOf(resource)),
        operation: operation ?? 'CREATE',
        before: was,
        after: is,
        differences: differencesOf(was, is),
      });
    }
  }
  return comparisons;
}

const gravity: readonly RuleStatus[] = ['skip', 'pass', 'warn', 'fail', 'error'];

function verdictOf(resource: JsonObject, responses: readonly PolicyResponse[]): Verdict {
  const rules = responses.flatMap(response => response.rules);
  const judged = rules.filter(({type}) => type !== 'Mutation' && type !== 'Generation');
  const worst = (list: readonly {readonly status: RuleStatus}[]) =>
    list.reduce<RuleStatus>((found, {status}) => (gravity.indexOf(status) > gravity.indexOf(found) ? status : found), 'skip');
  // Whether a mutation that changes nothing passes or skips is a matter of form.
  const changed = worst(rules.filter(({status}) => status === 'error' || status === 'fail'));
  const status = judged.length === 0 ? changed : worst([...judged, {status: changed}]);
  return {
    status,
    messages: rules.filter(rule => rule.status === 'fail' || rule.status === 'error').map(({message}) => message),
    patched: responses.reduce((object, response) => (response.phase === 'mutate' ? response.patched : object), resource),
    generated: rules.flatMap(rule => rule.generated),
  };
}

function differencesOf(before: Verdict, after: Verdict): string[] {
  const differences: string[] = [];
  if (before.status !== after.status) differences.push(`${before.status} became ${after.status}`);
  if (!deepEqual(before.patched, after.patched)) differences.push('the object is changed in another way');
  if (!sameObjects(before.generated, after.generated)) differences.push('other objects are generated');
  return differences;
}

function sameObjects(before: readonly JsonObject[], after: readonly JsonObject[]): boolean {
  if (before.length !== after.length) return false;
  return before.every(object => after.some(other => deepEqual(withoutMarks(object), withoutMarks(other))));
}

/** Labels and annotations that tell which policy made an object name that policy. */
function withoutMarks(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return object;
  const {labels: _labels, ...rest} = metadata as JsonObject;
  return {...object, metadata: rest};
}
