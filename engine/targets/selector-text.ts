import type {LabelSelector} from '../policy/model.js';
import {hasWildcard} from '../values/glob.js';

const key = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;
const value = /^([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/;
const objectName = /^[A-Za-z0-9]([A-Za-z0-9_.:-]*[A-Za-z0-9])?$/;

/**
 * What the API server can be asked for of a label selector; `undefined` for nothing. It never selects less than the selector:
 * wildcards in keys, and what is no label, are left to whoever judges the answer.
 */
export function labelSelectorText(selector: LabelSelector): string | undefined {
  const pairs = Object.entries(selector.matchLabels ?? {}).map(([name, text]) => pairText(name, text));
  const requirements = (selector.matchExpressions ?? []).map(requirementText);
  const parts = [...pairs, ...requirements].filter(part => part !== '');
  return parts.length === 0 ? undefined : parts.join(',');
}

/** Of one object by its name; `undefined` for what may be more than one, or no name at all. */
export function nameSelectorText(name: string): string | undefined {
  return objectName.test(name) ? `metadata.name=${name}` : undefined;
}

/** Users' values are not always what the types say. */
function pairText(name: string, text: unknown): string {
  if (!isKey(name) || typeof text !== 'string') return '';
  if (hasWildcard(text)) return name;
  return isValue(text) ? `${name}=${text}` : '';
}

function requirementText({key: name, operator, values = []}: NonNullable<LabelSelector['matchExpressions']>[number]): string {
  if (!isKey(name) || !values.every(isValue)) return '';
  if (operator === 'Exists' || operator === 'DoesNotExist') return values.length > 0 ? '' : `${operator === 'Exists' ? '' : '!'}${name}`;
  if (values.length === 0) return '';
  if (operator === 'In') return `${name} in (${values.join(',')})`;
  return operator === 'NotIn' ? `${name} notin (${values.join(',')})` : '';
}

function isKey(text: unknown): boolean {
  return typeof text === 'string' && text.length <= 317 && key.test(text) && text.slice(text.indexOf('/') + 1).length <= 63;
}

function isValue(text: unknown): boolean {
  return typeof text === 'string' && text.length <= 63 && value.test(text);
}
