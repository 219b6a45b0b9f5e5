import {isObject, type Json, type JsonObject} from '../json/types.js';
import type {ClassicRule, MutateForeach} from '../policy/model.js';
import {type Test, rendered, Unconvertible} from './code.js';
import {conditionsTest} from './conditions.js';
import {jsonPatchCode} from './json-patch.js';
import {appliesTest} from './match.js';
import {mergeCode} from './merge.js';
import {queryValue} from './query.js';
import {RuleNames} from './scope.js';
import {asListText, atom} from './value.js';

/** A mutate rule: conditions and mutations of a MutatingPolicy. Throws `Unconvertible`. */
export function mutateRule(rule: ClassicRule): JsonObject {
  const {action} = rule;
  if (action.type !== 'mutate') throw new Unconvertible(rule.path, 'no mutate rule');
  if (action.targets !== undefined) throw new Unconvertible(`${rule.path}.mutate.targets`, 'changes of existing objects');
  const scope = new RuleNames().withContext(rule.context, `${rule.path}.context`);
  const conditions: Array<{name: string; test: Test}> = [
    {name: 'match', test: appliesTest(rule, {kinds: false})},
    {name: 'preconditions', test: conditionsTest(rule.preconditions, `${rule.path}.preconditions`, scope)},
  ];
  const mutations: JsonObject[] = [];
  let atomic = false;
  const add = (patch: Json, path: string, options: Parameters<typeof mergeCode>[2]) => {
    if (!isObject(patch)) throw new Unconvertible(path, 'a patch that is no map');
    const merge = mergeCode(patch, path, options);
    atomic ||= merge.atomic;
    merge.conditions.forEach((test, index) => {
      conditions.push({name: `anchor-${conditions.length + index}`, test});
    });
    mutations.push({patchType: 'ApplyConfiguration', applyConfiguration: {expression: merge.expression}});
  };
  const {patch} = action;
  switch (patch.type) {
    case 'strategicMerge':
      add(patch.patch, `${rule.path}.mutate.patchStrategicMerge`, {scope});
      break;
    case 'json6902':
      mutations.push({
        patchType: 'JSONPatch',
        jsonPatch: {expression: jsonPatchCode(patch.patch, `${rule.path}.mutate.patchesJson6902`, scope)},
      });
      break;
    case 'foreach':
      for (const [index, entry] of patch.entries.entries()) addLoop(entry, `${rule.path}.mutate.foreach[${index}]`, scope, add);
  }
  return {
    ...(atomic ? {evaluation: {useServerSideApply: true}} : {}),
    matchConditions: conditions.filter(({test}) => test.text !== 'true').map(({name, test}) => ({name, expression: rendered(test)})),
    mutations,
  };
}

function addLoop(
  entry: MutateForeach,
  path: string,
  scope: RuleNames,
  add: (patch: Json, path: string, options: Parameters<typeof mergeCode>[2]) => void,
): void {
  if (entry.patch.type !== 'strategicMerge') throw new Unconvertible(path, 'a loop of anything but strategic merge patches');
  if (entry.list.includes('{{')) throw new Unconvertible(`${path}.list`, 'a list that is made of variables');
  const inner = scope.withElement('element', 0).withContext(entry.context, `${path}.context`);
  const list = atom(asListText(queryValue(entry.list, `${path}.list`, scope)));
  const applies = conditionsTest(entry.preconditions, `${path}.preconditions`, inner);
  const text = JSON.stringify(entry.patch.patch);
  if (!/\{\{\s*element\.\w+\s*\}\}/.test(text)) throw new Unconvertible(path, 'a loop whose patch does not name its element');
  add(entry.patch.patch, `${path}.patchStrategicMerge`, {scope: inner, loop: {list, name: 'element', applies}});
}
