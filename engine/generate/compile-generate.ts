import {compileList} from '../compile/compile-foreach.js';
import {compileOptionalBlock, evaluateBlock} from '../compile/condition-block.js';
import {elementVariables} from '../compile/element-variables.js';
import type {Conditions} from '../compile/types.js';
import {compileEntries, type CompiledEntry} from '../context/compile-entry.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import {stringifyJson} from '../json/stringify.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../json/types.js';
import {compileLabelSelector} from '../match/label-selector.js';
import {buildContext} from '../policy/build-context.js';
import type {LabelSelector} from '../policy/model.js';
import type {KindInfo} from '../resource-map.js';
import type {PolicyRef} from '../types.js';
import {listObjects, readObject, requireKind} from '../targets/read-objects.js';
import {everyObject, type Wanted} from '../targets/search.js';
import {labelSelectorText} from '../targets/selector-text.js';
import {compileTemplate, type TemplateScope} from '../variables/template.js';
import type {Template} from '../variables/types.js';
import {otherNamespaces} from './fan-out.js';
import {withOriginLabels} from './labels.js';
import {copyOf, objectFromData, type TargetNames} from './target-object.js';
import {textMapOf, textOf} from '../json/text.js';

/** What one rule would create or keep in step for the request in `scope`. Throws EvalError. */
export type Generate = (scope: RuleScope, origin: {readonly policy: PolicyRef; readonly rule: string}) => readonly JsonObject[];

/** `raw` is the normalised `generate` block; `path` is its place (`spec.rules[0].generate`). */
export function compileGenerate(raw: JsonObject, path: string): Generate {
  const foreach = own(raw, 'foreach');
  if (!Array.isArray(foreach)) return compileTarget(raw, path, ['generate']);
  const loops = foreach.filter(isObject).map((entry, index) => compileLoop(entry, `${path}.foreach[${index}]`, index));
  return (scope, origin) => {
    const objects: JsonObject[] = [];
    const problems: string[] = [];
    for (const loop of loops) runLoop(loop, scope, element => {
      try {
        objects.push(...loop.target(element, origin));
      } catch (error) {
        if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
        problems.push(error.message);
      }
    });
    if (problems.length > 0) throw new EvalError(problems.join('; '));
    return objects;
  };
}

interface Loop {
  readonly list: (scope: RuleScope) => readonly Json[];
  readonly entries: readonly CompiledEntry[];
  readonly preconditions: Conditions | undefined;
  readonly target: Generate;
}

function compileLoop(entry: JsonObject, path: string, index: number): Loop {
  const list = own(entry, 'list');
  const context = own(entry, 'context');
  return {
    list: compileList(typeof list === 'string' ? list : '', `${path}.list`),
    entries: compileEntries(buildContext(Array.isArray(context) ? context.filter(isObject) : []), `${path}.context`),
    preconditions: compileOptionalBlock(own(entry, 'preconditions'), `${path}.preconditions`),
    target: compileTarget(entry, path, ['generate', 'foreach', index]),
  };
}

function runLoop(loop: Loop, scope: RuleScope, visit: (element: RuleScope) => void): void {
  const elements = loop.list(scope);
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index] as Json;
    scope.env.budget.step();
    if (element === null) continue;
    const inner = scope.child(loop.entries, elementVariables(element, index, 0));
    if (loop.preconditions === undefined || evaluateBlock(loop.preconditions, inner).result) visit(inner);
  }
}

const targetFields = ['apiVersion', 'kind', 'name', 'namespace', 'data', 'clone', 'cloneList'];

function compileTarget(raw: JsonObject, path: string, document: ReadonlyArray<string | number>): Generate {
  const block: JsonObject = {};
  for (const field of targetFields) {
    const value = own(raw, field);
    if (value !== undefined) block[field] = value;
  }
  const template: Template<TemplateScope> = compileTemplate(block, path, {document});
  return (scope, origin) => {
    const target = template.evaluate(scope);
    if (!isObject(target)) throw new EvalError('generate must become a map');
    const context = scope.context;
    const labelled = (object: JsonObject, source?: JsonObject) =>
      withOriginLabels(confined(object, origin.policy), {...origin, context, ...(source !== undefined && {source})});
    const cloneList = own(target, 'cloneList');
    if (isObject(cloneList)) return cloneAll(cloneList, textOf(own(target, 'namespace')), scope).map(({copy, source}) => labelled(copy, source));
    const info = requireKind(scope.env.resources, textOf(own(target, 'apiVersion')), textOf(own(target, 'kind')));
    const places = otherNamespaces(targetNames(target, info), info, scope);
    const clone = own(target, 'clone');
    if (isObject(clone)) {
      const from = {namespace: textOf(own(clone, 'namespace')), name: textOf(own(clone, 'name'))};
      const others = places.filter(place => place.name !== from.name || place.namespace !== from.namespace);
      if (others.length === 0) return [];
      const source = readObject(scope.env, info, from.namespace, from.name);
      return others.map(place => labelled(copyOf(source, place), source));
    }
    return places.map(place => labelled(objectFromData(own(target, 'data') ?? {}, place)));
  };
}

/** Names may come from variables: what the checks of the policy could not know is refused here. */
function confined(object: JsonObject, {namespace}: PolicyRef): JsonObject {
  const place = textOf(ownPath(object, 'metadata', 'namespace'));
  if (namespace === '' || place === namespace) return object;
  throw new EvalError(
    `a policy of namespace ${namespace} may not generate ${place === '' ? 'cluster-wide objects' : `into namespace ${place}`}`,
    'scope',
  );
}

function targetNames(target: JsonObject, info: KindInfo): TargetNames {
  const name = textOf(own(target, 'name'));
  if (name === '') throw new EvalError(`the ${info.kind} to generate has no name`);
  const written = textOf(own(target, 'apiVersion'));
  return {
    apiVersion: written !== '' ? written : info.group === '' ? info.version : `${info.group}/${info.version}`,
    kind: textOf(own(target, 'kind')),
    name,
    namespace: info.namespaced ? textOf(own(target, 'namespace')) : '',
  };
}

function cloneAll(cloneList: JsonObject, namespace: string, scope: RuleScope): Array<{copy: JsonObject; source: JsonObject}> {
  const from = textOf(own(cloneList, 'namespace'));
  if (from === namespace) return [];
  const kinds = own(cloneList, 'kinds');
  const selector = own(cloneList, 'selector');
  const wanted = isObject(selector) ? selectedBy(selector) : everyObject;
  return (Array.isArray(kinds) ? kinds : []).flatMap(text => {
    const parts = textOf(text).split('/');
    const kind = parts.pop() ?? '';
    const info = requireKind(scope.env.resources, parts.join('/'), kind);
    return listObjects(scope.env, info, info.namespaced ? from : '', wanted).map(source => ({
      source,
      copy: copyOf(source, {
        apiVersion: textOf(own(source, 'apiVersion')),
        kind,
        name: textOf(ownPath(source, 'metadata', 'name')),
        namespace: info.namespaced ? namespace : '',
      }),
    }));
  });
}

function selectedBy(selector: JsonObject): Wanted {
  const labels = selector as unknown as LabelSelector;
  const selects = compileLabelSelector(labels);
  return {
    key: stringifyJson(selector),
    labelSelector: labelSelectorText(labels),
    test: source => selects(textMapOf(ownPath(source, 'metadata', 'labels'))),
  };
}
