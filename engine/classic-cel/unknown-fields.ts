import {unknownFieldsOf} from '../cel-policies/compile/unknown-fields.js';
import type {Diagnostic} from '../diagnostic.js';
import {parseKindSelector} from '../match/kind-selector.js';
import type {ClassicPolicy, ClassicRule} from '../policy/model.js';
import type {KindInfo, ResourceMap} from '../resource-map.js';
import {hasWildcard} from '../values/glob.js';
import {readCelCheck} from './load-cel-check.js';

/** Fields that `validate.cel` of a policy's rules reads and that none of the kinds has which the rule matches. */
export function unknownCelFields({spec}: ClassicPolicy, resources: ResourceMap): Diagnostic[] {
  return spec.rules.flatMap((rule, index) => fieldsOfRule(rule, `spec.rules[${index}].validate.cel`, resources));
}

function fieldsOfRule({action, match}: ClassicRule, path: string, resources: ResourceMap): Diagnostic[] {
  if (action.type !== 'validate' || action.check.type !== 'cel') return [];
  const {variables, validations} = readCelCheck(action.check.raw, action.message);
  return unknownFieldsOf({
    kinds: matchedKinds(
      match.filters.flatMap(({kinds}) => kinds),
      resources,
    ),
    variables,
    variablesPath: `${path}.variables`,
    expressions: validations.map(({expression}, index) => ({expression, path: `${path}.expressions[${index}].expression`})),
  });
}

/** Empty where a selector stands for kinds that cannot be named. */
function matchedKinds(selectors: readonly string[], resources: ResourceMap): readonly KindInfo[] {
  const found = new Map<string, KindInfo>();
  for (const text of selectors) {
    const selector = parseKindSelector(text);
    if (selector === undefined || selector.subresource !== '' || hasWildcard(selector.kind)) return [];
    const fits = (wanted: string, actual: string) => wanted === '*' || wanted === actual;
    const kinds = resources
      .find(selector.kind)
      .filter(({group, version}) => fits(selector.group, group) && fits(selector.version, version));
    if (kinds.length === 0) return [];
    for (const info of kinds) found.set(`${info.group}/${info.version}/${info.kind}`, info);
  }
  return [...found.values()];
}
