import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {findVariables} from '../variables/scan.js';
import {has, text} from './access.js';
import {at, type Faults, shown} from './faults.js';
import {nearest} from './nearest.js';

const anyCase = ['Equal', 'Equals', 'NotEqual', 'NotEquals', 'In', 'AnyIn', 'AllIn', 'NotIn', 'AnyNotIn', 'AllNotIn'];
/** These are compared by exact spelling when they run. */
const exactCase = [
  'GreaterThan',
  'GreaterThanOrEquals',
  'LessThan',
  'LessThanOrEquals',
  'DurationGreaterThan',
  'DurationGreaterThanOrEquals',
  'DurationLessThan',
  'DurationLessThanOrEquals',
];
const operators = [...anyCase, ...exactCase];
const lowerNames = new Map(anyCase.map(name => [name.toLowerCase(), name]));
const replacements: Readonly<Record<string, string>> = {In: '["AllIn" "AnyIn"]', NotIn: '["AllNotIn" "AnyNotIn"]'};
const admissionOperations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
const conditionFields = ['key', 'operator', 'value', 'message'];

/** Preconditions and deny conditions: an object with any and all, or the bare list of old. */
export function checkConditions(conditions: Json | undefined, path: string, faults: Faults): void {
  if (conditions === undefined || conditions === null) return;
  if (Array.isArray(conditions)) {
    checkConditionList(conditions, path, faults);
    return;
  }
  if (!isObject(conditions)) {
    faults.error('wrong-type', path, `expected any/all conditions or a list of conditions, found ${shown(conditions)}`);
    return;
  }
  for (const key of Object.keys(conditions)) {
    if (key === 'any' || key === 'all') checkConditionList(own(conditions, key)!, at(path, key), faults);
    else
      faults.error('unknown-field', at(path, key), `unknown field ${shown(key)}`, {
        hint: 'conditions stand under any or all',
      });
  }
}

function checkConditionList(list: Json, path: string, faults: Faults): void {
  if (list === null) return;
  if (!Array.isArray(list)) {
    faults.error('wrong-type', path, `expected a list, found ${shown(list)}`);
    return;
  }
  list.forEach((condition, index) => {
    if (isObject(condition)) checkCondition(condition, at(path, index), faults);
    else faults.error('wrong-type', at(path, index), `expected an object, found ${shown(condition)}`);
  });
}

function checkCondition(condition: JsonObject, path: string, faults: Faults): void {
  for (const key of Object.keys(condition)) {
    if (conditionFields.includes(key)) continue;
    const near = nearest(key, conditionFields);
    faults.error(
      'unknown-field',
      at(path, key),
      `unknown field ${shown(key)}`,
      near ? {hint: `did you mean "${near}"?`} : {},
    );
  }
  if (has(condition, 'message') && typeof own(condition, 'message') !== 'string') {
    faults.error('wrong-type', at(path, 'message'), `expected a string, found ${shown(own(condition, 'message'))}`);
  }
  const missing = ['key', 'operator', 'value'].filter(key => !has(condition, key));
  if (missing.length > 0) {
    faults.error(
      'condition-incomplete',
      path,
      'entered value of `key`, `value` or `operator` is missing or misspelled',
      {
        hint: `missing: ${missing.join(', ')}`,
      },
    );
    return;
  }
  checkOperator(own(condition, 'operator')!, at(path, 'operator'), faults);
  checkOperationValue(condition, path, faults);
}

function checkOperator(operator: Json, path: string, faults: Faults): void {
  if (typeof operator !== 'string') {
    faults.error('wrong-type', path, `expected a string, found ${shown(operator)}`);
    return;
  }
  const canonical = exactCase.includes(operator) ? operator : lowerNames.get(operator.toLowerCase());
  if (canonical === undefined) {
    const near = nearest(operator, operators);
    faults.error(
      'operator-invalid',
      path,
      `entered value of \`operator\` is invalid. valid values: ${operators.join(', ')}`,
      near ? {hint: `did you mean "${near}"?`} : {},
    );
    return;
  }
  if (Object.hasOwn(replacements, canonical)) {
    faults.warn(
      'operator-deprecated',
      path,
      `Operator ${canonical} has been deprecated and will be removed soon. Use these instead: ${replacements[canonical]} (${path})`,
    );
  } else if (canonical.startsWith('Duration')) {
    faults.warn(
      'operator-deprecated',
      path,
      `Operator ${canonical} has been deprecated and will be removed soon. Use these instead: ["${canonical.slice('Duration'.length)}"] (${path})`,
    );
  }
}

/** What `{{ request.operation }}` is compared with has to be an operation. */
function checkOperationValue(condition: JsonObject, path: string, faults: Faults): void {
  const key = text(condition, 'key');
  if (key === undefined || !/^\{\{\s*request\.operation\s*\}\}$/.test(key)) return;
  const value = own(condition, 'value')!;
  const values = Array.isArray(value) ? value : [value];
  for (const item of values) {
    if (
      typeof item !== 'string' ||
      admissionOperations.includes(item) ||
      findVariables(item).length > 0 ||
      /[*?]/.test(item)
    )
      continue;
    faults.error(
      'operation-unknown',
      at(path, 'value'),
      `unknown value '${item.slice(0, 80)}' found under the 'value' field. Only the following values are allowed: [CREATE, UPDATE, DELETE, CONNECT]`,
    );
  }
}

/** Attestation conditions: a list of any/all blocks. */
export function checkConditionBlocks(blocks: Json | undefined, path: string, faults: Faults): void {
  if (blocks === undefined || blocks === null) return;
  if (!Array.isArray(blocks)) {
    checkConditions(blocks, path, faults);
    return;
  }
  blocks.forEach((block, index) => {
    if (isObject(block) && (has(block, 'any') || has(block, 'all') || Object.keys(block).length === 0))
      checkConditions(block, at(path, index), faults);
    else checkConditionList([block], at(path, index), faults);
  });
}
