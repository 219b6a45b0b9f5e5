import {isObject, type JsonObject, own} from '../json/types.js';
import {child, list, objects, strings, text} from './access.js';
import {at, type Faults} from './faults.js';

const namePart = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const prefixPart = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const hasFreeText = (value: string) => /[*?]|\{\{/.test(value);

/** A label selector: something must be asked for, in a form that a label can have. Wildcards only in matchLabels. */
export function checkSelector(selector: JsonObject, path: string, faults: Faults): void {
  const labels = child(selector, 'matchLabels') ?? {};
  const expressions = objects(selector, 'matchExpressions');
  if (Object.keys(labels).length === 0 && expressions.length === 0) {
    faults.error('selector-empty', path, 'The requirements are not specified in selector');
    return;
  }
  for (const key of Object.keys(labels)) {
    const place = at(at(path, 'matchLabels'), key);
    if (!hasFreeText(key) && !isLabelKey(key))
      faults.error('selector-key', place, `invalid label key ${JSON.stringify(key)}`);
    const value = own(labels, key);
    if (typeof value === 'string') checkValue(value, place, faults);
  }
  expressions.forEach((expression, index) => {
    checkExpression(expression, at(at(path, 'matchExpressions'), index), faults);
  });
}

function checkExpression(expression: JsonObject, path: string, faults: Faults): void {
  if (!isObject(expression)) return;
  const key = text(expression, 'key') ?? '';
  if (!hasFreeText(key) && !isLabelKey(key))
    faults.error('selector-key', at(path, 'key'), `invalid label key ${JSON.stringify(key)}`);
  const operator = text(expression, 'operator') ?? '';
  const values = list(expression, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      faults.error('selector-values', at(path, 'values'), `values are required for operator ${operator}`);
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      faults.error('selector-values', at(path, 'values'), `values must be empty for operator ${operator}`);
  } else {
    faults.error(
      'selector-operator',
      at(path, 'operator'),
      `${JSON.stringify(operator)} is not a valid label selector operator`,
      {
        hint: 'In, NotIn, Exists or DoesNotExist',
      },
    );
  }
  for (const value of strings(expression, 'values')) checkValue(value, at(path, 'values'), faults);
}

function checkValue(value: string, path: string, faults: Faults): void {
  if (value !== '' && !hasFreeText(value) && !namePart.test(value)) {
    faults.error('selector-value', path, `invalid label value ${JSON.stringify(value.slice(0, 80))}`);
  }
}

function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return namePart.test(key);
  return slash <= 253 && prefixPart.test(key.slice(0, slash)) && namePart.test(key.slice(slash + 1));
}
