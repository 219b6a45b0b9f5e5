import {compileOptionalBlock, evaluateBlock} from '../compile/condition-block.js';
import type {Conditions, Outcome, Patch} from '../compile/types.js';
import {compileEntries, type CompiledEntry} from '../context/compile-entry.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import {stringifyJson} from '../json/stringify.js';
import {isObject, type JsonObject, own, ownPath} from '../json/types.js';
import {compileLabelSelector} from '../match/label-selector.js';
import {buildContext} from '../policy/build-context.js';
import type {LabelSelector} from '../policy/model.js';
import {compileGlob, hasWildcard} from '../values/glob.js';
import {compileTemplate, type TemplateScope} from '../variables/template.js';
import type {Template} from '../variables/types.js';
import {apiVersionOf, type KindInfo} from '../resource-map.js';
import {findObject, listObjects, readObject, requireKind} from './read-objects.js';
import type {Wanted} from './search.js';
import {labelSelectorText, nameSelectorText} from './selector-text.js';
import {setWritePlace, writePlaceOf} from './subresource.js';
import {textMapOf, textOf} from '../json/text.js';

/** What a rule made of one existing object. */
export interface TargetOutcome extends Outcome {
  readonly target: JsonObject;
  /** Set when it was changed. */
  readonly patched?: JsonObject;
}

export type MutateTargets = (scope: RuleScope) => readonly TargetOutcome[];

/** `targets` as written; `path` is the mutate block's (`spec.rules[0].mutate`). */
export function compileTargets(targets: readonly JsonObject[], patch: Patch, path: string): MutateTargets {
  const compiled = targets.map((target, index) => compileTarget(target, `${path}.targets[${index}]`));
  return scope => compiled.flatMap(target => find(target, scope).map(object => change(target, object, patch, scope)));
}

interface Target {
  readonly names: Template<TemplateScope>;
  readonly entries: readonly CompiledEntry[];
  readonly preconditions: Conditions | undefined;
}

function compileTarget(raw: JsonObject, path: string): Target {
  const names: JsonObject = {};
  for (const field of ['apiVersion', 'kind', 'namespace', 'name', 'uid', 'selector']) {
    const value = own(raw, field);
    if (value !== undefined) names[field] = value;
  }
  const context = own(raw, 'context');
  return {
    names: compileTemplate(names, path),
    entries: compileEntries(buildContext(Array.isArray(context) ? context.filter(isObject) : []), `${path}.context`),
    preconditions: compileOptionalBlock(own(raw, 'preconditions'), `${path}.preconditions`),
  };
}

function find(target: Target, scope: RuleScope): readonly JsonObject[] {
  const names = target.names.evaluate(scope);
  if (!isObject(names)) throw new EvalError('a mutate target must become a map');
  const [kind = '', ...subresource] = textOf(own(names, 'kind')).split('/');
  const info = requireKind(scope.env.resources, textOf(own(names, 'apiVersion')), kind);
  if (subresource.length > 0 && !info.subResources.includes(subresource[0] ?? '')) {
    throw new EvalError(`${kind} has no subresource ${subresource.join('/')}`);
  }
  const namespace = textOf(own(names, 'namespace'));
  const name = textOf(own(names, 'name'));
  const wanted = wantedOf(names, info);
  const exact = !info.namespaced || (namespace !== '' && !hasWildcard(namespace));
  const place = info.namespaced && exact ? namespace : '';
  const one = exact && name !== '' && !hasWildcard(name);
  const found = one ? [findObject(scope.env, info, place, name)].filter(isObject).filter(wanted.test) : listObjects(scope.env, info, place, wanted);
  const [part = ''] = subresource;
  if (part === '') return found;
  // A status is a part of its object; others are objects of their own.
  const parts = part === 'status' ? found : found.map(object => readPart(object, info, part, scope));
  const parent = {apiVersion: apiVersionOf(info), kind: info.kind};
  for (const object of parts) setWritePlace(object, {subresource: part, parent});
  return parts;
}

/** What a target's words select, as far as its place does not say it. */
function wantedOf(names: JsonObject, info: KindInfo): Wanted {
  const [namespace, name, uid] = ['namespace', 'name', 'uid'].map(field => textOf(own(names, field))) as [string, string, string];
  const inNamespace = compileGlob(namespace === '' ? '*' : namespace);
  const named = compileGlob(name || '*');
  const selector = own(names, 'selector');
  const labels = isObject(selector) ? (selector as unknown as LabelSelector) : undefined;
  const selected = labels === undefined ? () => true : compileLabelSelector(labels);
  return {
    key: stringifyJson([namespace, name, uid, selector ?? null]),
    labelSelector: labels && labelSelectorText(labels),
    fieldSelector: nameSelectorText(name),
    test(object) {
      const metadata = own(object, 'metadata');
      return (
        named(textOf(ownPath(metadata, 'name'))) &&
        (!info.namespaced || inNamespace(textOf(ownPath(metadata, 'namespace')))) &&
        (uid === '' || textOf(ownPath(metadata, 'uid')) === uid) &&
        selected(textMapOf(ownPath(metadata, 'labels')))
      );
    },
  };
}

function readPart(object: JsonObject, info: KindInfo, part: string, scope: RuleScope): JsonObject {
  const metadata = own(object, 'metadata');
  return readObject(scope.env, info, textOf(ownPath(metadata, 'namespace')), textOf(ownPath(metadata, 'name')), part);
}

function change(target: Target, object: JsonObject, patch: Patch, scope: RuleScope): TargetOutcome {
  const inner = scope.child(target.entries, {target: object});
  try {
    if (target.preconditions !== undefined) {
      const {result, message} = evaluateBlock(target.preconditions, inner);
      if (!result) return {status: 'skip', message: message === '' ? 'preconditions not met' : `preconditions not met; ${message}`, target: object};
    }
    const outcome = patch(object, inner);
    if (outcome.status === 'pass') setWritePlace(outcome.object, writePlaceOf(object));
    return {
      status: outcome.status,
      message: outcome.message,
      target: object,
      ...(outcome.status === 'pass' && {patched: outcome.object}),
    };
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return {status: 'error', message: error.message, target: object};
  }
}
