import {normalizeOperator} from '../conditions/operator-name.js';
import {stringifyJson} from '../json/stringify.js';
import {isObject, type Json, own} from '../json/types.js';
import {parseQuantity} from '../values/quantity.js';
import {findVariables} from '../variables/scan.js';
import type {LintRule} from './types.js';
import {conditionsOf, textsOf, writtenRule} from './walk.js';

const deprecated = new Map([
  ['In', 'AnyIn or AllIn'],
  ['NotIn', 'AnyNotIn or AllNotIn'],
  ['Equal', 'Equals'],
  ['NotEqual', 'NotEquals'],
]);

const deprecatedOperator: LintRule = {
  id: 'deprecated-operator',
  severity: 'warning',
  summary: 'Operators that are kept for old policies, with a meaning for lists that surprises',
  hint: 'use the operators that say how lists are meant',
  *check({rule}) {
    for (const {operator, path} of conditionsOf(rule)) {
      const better = [...deprecated].find(([old]) => old.toLowerCase() === operator.toLowerCase())?.[1];
      if (better !== undefined)
        yield {path: `${path}.operator`, message: `operator ${operator} is deprecated`, hint: `write ${better}`};
    }
  },
};

const quantityField =
  /\b(?:resources\??\.(?:limits|requests)|limits|requests|capacity|allocatable|hard)\b[^\s|,)<>=!]*\b(?:cpu|memory|storage|ephemeral-storage|pods)\b|\b(?:cpu|memory)\b(?=["'\])]*\s*[<>])/;
const ordered = /(?:[^<>=!-]|^)(?:<=?|>=?)(?!=?>)/;
const setOperators = new Set(['AnyIn', 'AllIn', 'AnyNotIn', 'AllNotIn', 'In', 'NotIn']);

function isQuantityText(value: Json): boolean {
  return (
    typeof value === 'string' && /^\d+(?:\.\d+)?(?:m|k|[KMGTPE]i?)$/.test(value) && parseQuantity(value) !== undefined
  );
}

const quantityAsText: LintRule = {
  id: 'quantity-as-text',
  severity: 'error',
  summary: 'Quantities compared as texts: 1000m and 1, 1Gi and 1024Mi are different texts',
  hint: 'compare with the condition operators (GreaterThan, LessThanOrEquals, a range), with a pattern such as "<=4Gi", or in CEL with quantity()',
  *check({policy, rule}) {
    for (const {key, operator, value, path} of conditionsOf(rule)) {
      const name = normalizeOperator(operator);
      if (name === undefined || !setOperators.has(name) || typeof key !== 'string' || !quantityField.test(key))
        continue;
      const values = Array.isArray(value) ? value : [value];
      if (values.some(isQuantityText))
        yield {path: `${path}.operator`, message: `${operator} compares quantities as texts`};
    }
    for (const {text, path} of textsOf(writtenRule(policy, rule), rule.path)) {
      for (const {expression} of findVariables(text))
        if (comparesQuantities(expression, /to_number|sum|divide|multiply|subtract|add\(/))
          yield {path, message: 'the expression compares quantities as texts'};
      if (
        /\.validate\.cel\.expressions\[\d+\]\.expression$|\.celPreconditions\[\d+\]\.expression$/.test(path) &&
        comparesQuantities(text, /quantity\(/)
      ) {
        yield {path, message: 'the expression compares quantities as texts'};
      }
    }
  },
};

function comparesQuantities(expression: string, converted: RegExp): boolean {
  return ordered.test(expression) && quantityField.test(expression) && !converted.test(expression);
}

const celWithoutHas: LintRule = {
  id: 'cel-without-has',
  severity: 'warning',
  summary: 'A CEL expression that reaches for a field that may be absent ends in an error, which counts as a failure',
  hint: 'ask first: has(c.resources) && has(c.resources.limits) && …, or use c.?resources.?limits',
  *check({rule}) {
    if (rule.action.type !== 'validate' || rule.action.check.type !== 'cel') return;
    const expressions = own(rule.action.check.raw, 'expressions');
    for (const [index, entry] of (Array.isArray(expressions) ? expressions : []).entries()) {
      const text = isObject(entry) ? own(entry, 'expression') : undefined;
      if (typeof text !== 'string') continue;
      const field = /\.(resources\.(?:limits|requests)|securityContext|metadata\.(?:labels|annotations))\b/.exec(
        text,
      )?.[1];
      if (field !== undefined && !/\bhas\(|\.\?|\.orValue\(|\bin\b/.test(text)) {
        yield {
          path: `${rule.path}.validate.cel.expressions[${index}].expression`,
          message: `objects without ${field} fail with "no such key"`,
        };
      }
    }
  },
};

const callInLoop: LintRule = {
  id: 'call-in-loop',
  severity: 'warning',
  summary: 'An API call in a loop is made for each element of each request',
  hint: 'load the list once in the context of the rule and filter it in the loop',
  *check({rule}) {
    const {action} = rule;
    const loops =
      action.type === 'validate' && action.check.type === 'foreach'
        ? action.check.entries
        : action.type === 'mutate' && action.patch.type === 'foreach'
          ? action.patch.entries
          : [];
    for (const [index, {context}] of loops.entries()) {
      for (const [place, entry] of context.entries()) {
        // What depends on the element has to be asked for each.
        if (
          entry.type === 'apiCall' &&
          !/\belement/.test(
            `${entry.urlPath ?? ''}${entry.service?.url ?? ''}${stringifyJson(entry.data as unknown as Json)}`,
          )
        ) {
          yield {
            path: `${rule.path}.${action.type}.foreach[${index}].context[${place}]`,
            message: `${entry.type} ${entry.name} runs for every element`,
          };
        }
      }
    }
  },
};

export const expressionRules: readonly LintRule[] = [deprecatedOperator, quantityAsText, celWithoutHas, callInLoop];
