import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import type {ClassicRule} from '../policy/model.js';
import {stringify} from 'yaml';
import {findVariables} from '../variables/scan.js';
import {rendered, Unconvertible} from './code.js';
import {conditionsTest} from './conditions.js';
import {appliesTest} from './match.js';
import {queryValue} from './query.js';
import {RuleNames} from './scope.js';
import {textOf} from './value.js';

/** A generate rule with data: conditions and the template of a GeneratingPolicy. Throws `Unconvertible`. */
export function generateRule(rule: ClassicRule): JsonObject {
  const {action} = rule;
  if (action.type !== 'generate') throw new Unconvertible(rule.path, 'no generate rule');
  const {raw} = action;
  const path = `${rule.path}.generate`;
  for (const field of ['clone', 'cloneList', 'foreach']) {
    if (own(raw, field) !== undefined) throw new Unconvertible(`${path}.${field}`, 'only rules with data are converted');
  }
  const data = own(raw, 'data');
  if (!isObject(data)) throw new Unconvertible(`${path}.data`, 'data that is no map');
  const scope = new RuleNames().withContext(rule.context, `${rule.path}.context`);
  const text = (field: string) => String(own(raw, field) ?? '');
  const {metadata, ...content} = data;
  const object: JsonObject = {
    apiVersion: text('apiVersion'),
    kind: text('kind'),
    metadata: {
      name: text('name'),
      ...(text('namespace') !== '' && {namespace: text('namespace')}),
      ...(isObject(metadata) ? metadata : {}),
    },
    ...content,
  };
  const template = stringify(filled(object, path, scope), {lineWidth: 0});
  const conditions = [
    {name: 'match', test: appliesTest(rule, {kinds: false})},
    {name: 'preconditions', test: conditionsTest(rule.preconditions, `${rule.path}.preconditions`, scope)},
  ].filter(({test}) => test.text !== 'true');
  const flags = [
    ['synchronize', 'synchronize'],
    ['generateExisting', 'generateExisting'],
    ['orphanDownstreamOnPolicyDelete', 'orphanDownstreamOnPolicyDelete'],
  ].filter(([field]) => own(raw, field!) === true);
  return {
    ...(flags.length > 0 && {evaluation: Object.fromEntries(flags.map(([, name]) => [name!, {enabled: true}]))}),
    matchConditions: conditions.map(({name, test}) => ({name, expression: rendered(test)})),
    generate: [{template: {value: template, ...(template.includes('((') && {interpolate: 'cel'})}}],
  };
}

/** Variables become placeholders. */
function filled(json: Json, path: string, scope: RuleNames): Json {
  if (Array.isArray(json)) return json.map((item, index) => filled(item, `${path}[${index}]`, scope));
  if (isObject(json)) return Object.fromEntries(Object.entries(json).map(([key, item]) => [key, filled(item, `${path}.${key}`, scope)]));
  if (typeof json !== 'string') return json;
  if (json.includes('((')) throw new Unconvertible(path, 'a text with "((", which begins a placeholder of templates');
  const spans = findVariables(json);
  if (spans.length === 0) return json;
  let made = '';
  let from = 0;
  for (const {start, end, expression} of spans) {
    const value = queryValue(expression, path, scope);
    const whole = spans.length === 1 && start === 0 && end === json.length;
    made += `${json.slice(from, start)}(( ${whole && !value.nullable ? value.text : textOf(value)} ))`;
    from = end;
  }
  return made + json.slice(from);
}
