import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {parseYaml} from '../yaml/parse.js';
import {findVariables} from '../variables/scan.js';
import {child, flag, has, list, objects, text} from './access.js';
import type {Scope} from './check-scope.js';
import {checkConditions} from './checks-conditions.js';
import {checkContext} from './checks-context.js';
import {checkStringMetadata} from './checks-metadata.js';
import {checkSelector} from './checks-selector.js';
import {placeholder, replaceAllVariables} from './expressions.js';
import {at, shown} from './faults.js';
import {directKinds} from './filters.js';

const patchOperations = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

export function checkMutate(rule: JsonObject, path: string, scope: Scope): void {
  const mutate = child(rule, 'mutate')!;
  const place = at(path, 'mutate');
  checkPatchBlock(mutate, place, false, scope);
  checkExisting(mutate, path, scope);
  checkTargets(mutate, place, scope);
  if (text(mutate, 'patchesJson6902') && directKinds(rule).includes('Pod')) {
    scope.faults.warn(
      'pod-json-patch',
      place,
      'Pods managed by workload controllers should not be directly mutated using policies. Use the autogen feature or write policies that match Pod controllers.',
    );
  }
}

const patchFields = ['foreach', 'patchStrategicMerge', 'patchesJson6902'];

function checkPatchBlock(block: JsonObject, path: string, inForeach: boolean, scope: Scope): void {
  const {faults} = scope;
  const given = patchFields.filter(key => has(block, key));
  if (given.length !== 1) {
    faults.error(
      'mutate-patch',
      path,
      'only one of `foreach`, `patchStrategicMerge`, or `patchesJson6902` is allowed',
      {
        hint: given.length === 0 ? 'none is given' : `given: ${given.join(', ')}`,
      },
    );
  }
  if (has(block, 'patchStrategicMerge')) {
    const patch = own(block, 'patchStrategicMerge')!;
    const place = at(path, 'patchStrategicMerge');
    if (isObject(patch)) checkStringMetadata(patch, place, faults);
    else if (typeof patch !== 'string') faults.error('wrong-type', place, `expected an object, found ${shown(patch)}`);
  }
  const json = text(block, 'patchesJson6902');
  if (json !== undefined) checkJsonPatch(json, at(path, 'patchesJson6902'), inForeach, scope);
  objects(block, 'foreach').forEach((entry, index) => {
    checkForeach(entry, at(at(path, 'foreach'), index), scope);
  });
}

function checkForeach(entry: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  if (!text(entry, 'list')) faults.error('foreach-list', at(path, 'list'), 'foreach.list is required');
  checkContext(objects(entry, 'context'), at(path, 'context'), scope);
  checkConditions(own(entry, 'preconditions'), at(path, 'preconditions'), faults);
  if (
    has(entry, 'foreach') &&
    ['patchStrategicMerge', 'patchesJson6902', 'context', 'preconditions'].some(key => has(entry, key))
  ) {
    faults.error('nested-foreach', path, 'a nested foreach cannot contain other declarations');
    return;
  }
  checkPatchBlock(entry, path, true, scope);
}

function checkExisting(mutate: JsonObject, path: string, {faults, spec}: Scope): void {
  const wanted = flag(mutate, 'mutateExistingOnPolicyUpdate') ?? flag(spec, 'mutateExistingOnPolicyUpdate') ?? false;
  if (wanted && list(mutate, 'targets').length === 0) {
    faults.error(
      'targets-missing',
      `${path}.mutate.targets`,
      `${path.replace(/^spec\./, '')}.mutate.targets has to be specified when mutateExistingOnPolicyUpdate is set`,
    );
  }
}

function checkTargets(mutate: JsonObject, path: string, scope: Scope): void {
  const {faults, namespaced, namespace} = scope;
  objects(mutate, 'targets').forEach((target, index) => {
    const place = at(at(path, 'targets'), index);
    if (!text(target, 'kind')) faults.error('target-kind', at(place, 'kind'), 'kind can not be empty');
    const given = text(target, 'namespace') ?? '';
    if (namespaced && given !== '' && namespace !== '' && given !== namespace) {
      faults.error(
        'target-namespace',
        at(place, 'namespace'),
        'This field can be ignored or should have value of the namespace where the policy is being created',
      );
    }
    const selector = child(target, 'selector');
    if (selector) checkSelector(selector, at(place, 'selector'), faults);
    checkContext(objects(target, 'context'), at(place, 'context'), scope);
    checkConditions(own(target, 'preconditions'), at(place, 'preconditions'), faults);
  });
}

/** The operations of a JSON patch text, as far as they can be read before variables have values. */
function checkJsonPatch(patch: string, path: string, inForeach: boolean, {faults}: Scope): void {
  let parsed: unknown;
  try {
    parsed = parseYaml(replaceAllVariables(patch, placeholder));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0]! : 'unreadable';
    faults.error('json-patch', path, `the patch is neither JSON nor YAML: ${reason}`);
    return;
  }
  if (!Array.isArray(parsed)) {
    if (findVariables(patch).length === 0)
      faults.error('json-patch', path, `expected a list of operations, found ${shown(parsed as Json)}`);
    return;
  }
  parsed.forEach((operation: Json, index) => {
    if (isObject(operation)) checkOperation(operation, at(path, index), inForeach, faults);
    else faults.error('json-patch', at(path, index), `expected an object, found ${shown(operation)}`);
  });
}

function checkOperation(operation: JsonObject, path: string, inForeach: boolean, faults: Scope['faults']): void {
  const op = text(operation, 'op') ?? '';
  if (!patchOperations.includes(op) && !op.includes(placeholder)) {
    faults.error('json-patch-op', at(path, 'op'), `unexpected kind: ${JSON.stringify(op)}`, {
      hint: patchOperations.join(', '),
    });
  }
  const pointer = text(operation, 'path') ?? '';
  if (!pointer.startsWith('/') && !pointer.startsWith(placeholder)) {
    faults.error('json-patch-path', at(path, 'path'), `path must begin with a forward slash: ${pointer}`);
  }
  if (!inForeach && pointer.includes(placeholder)) {
    faults.error(
      'variable-in-path',
      at(path, 'path'),
      'rule should not have variables in patchesJson6902 path section',
    );
  }
  if ((op === 'add' || op === 'replace' || op === 'test') && !Object.hasOwn(operation, 'value')) {
    faults.error('json-patch-value', at(path, 'value'), `invalid value: operation ${op} needs a value`);
  }
  if ((op === 'move' || op === 'copy') && !text(operation, 'from')?.startsWith('/')) {
    faults.error(
      'json-patch-from',
      at(path, 'from'),
      `path must begin with a forward slash: ${text(operation, 'from') ?? ''}`,
    );
  }
}
