import type {LabelSelector} from '../../engine/policy/model.js';

const name = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const prefix = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
type Requirement = NonNullable<LabelSelector['matchExpressions']>[number];

/** `name` or `prefix/name`, as keys of labels and annotations must be. */
export function isQualifiedName(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash === -1) return name.test(text);
  return prefix.test(text.slice(0, slash)) && name.test(text.slice(slash + 1));
}

export function isLabelValue(text: string): boolean {
  return text === '' || name.test(text);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a label selector as strictly as the API server does, which would else refuse the whole object that holds it.
 * A text instead of a selector says what is wrong.
 */
export function readLabelSelector(value: unknown): LabelSelector | string {
  if (!isRecord(value)) return 'is not an object';
  for (const key of Object.keys(value)) {
    if (key !== 'matchLabels' && key !== 'matchExpressions') return `has the unknown field ${key}`;
  }
  const labels = value['matchLabels'] ?? undefined;
  const expressions = value['matchExpressions'] ?? undefined;
  let matchLabels: Record<string, string> | undefined;
  let matchExpressions: Requirement[] | undefined;
  if (labels !== undefined) {
    if (!isRecord(labels)) return 'has matchLabels that are no map';
    matchLabels = {};
    for (const [key, label] of Object.entries(labels)) {
      if (!isQualifiedName(key) || typeof label !== 'string' || !isLabelValue(label))
        return `has no valid label in matchLabels.${key}`;
      matchLabels[key] = label;
    }
  }
  if (expressions !== undefined) {
    if (!Array.isArray(expressions)) return 'has matchExpressions that are no list';
    matchExpressions = [];
    for (const [index, each] of expressions.entries()) {
      const read = readRequirement(each);
      if (typeof read === 'string') return `${read} in matchExpressions[${index}]`;
      matchExpressions.push(read);
    }
  }
  return {
    ...(matchLabels === undefined ? {} : {matchLabels}),
    ...(matchExpressions === undefined ? {} : {matchExpressions}),
  };
}

function readRequirement(value: unknown): Requirement | string {
  if (!isRecord(value)) return 'is no object';
  const {key, operator: operatorText, values = undefined, ...rest} = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `has the unknown field ${unknown}`;
  if (typeof key !== 'string' || !isQualifiedName(key)) return 'has no valid key';
  const operator = operators.find(each => each === operatorText);
  if (operator === undefined) return `has no operator of ${operators.join(', ')}`;
  const list = values ?? [];
  if (!Array.isArray(list) || !list.every(each => typeof each === 'string' && isLabelValue(each)))
    return 'has values that are no label values';
  const takesValues = operator === 'In' || operator === 'NotIn';
  if (takesValues !== list.length > 0)
    return takesValues ? `has no values for ${operator}` : `has values, which ${operator} does not take`;
  return takesValues ? {key, operator, values: list} : {key, operator};
}
