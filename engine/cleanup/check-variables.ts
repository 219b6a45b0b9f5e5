import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {objects, text} from '../policy/access.js';
import {expressionsIn, parseExpression} from '../policy/expressions.js';
import {at, type Faults} from '../policy/faults.js';

const builtIn: ReadonlySet<string> = new Set(['target', 'images', '@', '']);

/** Conditions and context of a clean-up: there is no request, only the object (`target`), its images and the context. */
export function checkCleanupVariables(spec: JsonObject, faults: Faults): void {
  const names = new Set(objects(spec, 'context').map(entry => (text(entry, 'name') ?? '').split('.')[0]!));
  const isKnown = (root: string) => builtIn.has(root) || names.has(root);
  const visit = (value: Json, path: string): void => {
    if (typeof value === 'string') checkText(value, path, isKnown, faults);
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, at(path, index));
    else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        checkText(key, at(path, key), isKnown, faults);
        visit(own(value, key)!, at(path, key));
      }
    }
  };
  for (const part of ['conditions', 'context'] as const) {
    const value = own(spec, part);
    if (value !== undefined) visit(value, `spec.${part}`);
  }
}

function checkText(value: string, path: string, isKnown: (root: string) => boolean, faults: Faults): void {
  for (const {expression, derived} of expressionsIn(value)) {
    if (derived) continue;
    const parsed = parseExpression(expression);
    if ('fault' in parsed) {
      faults.error('jmespath-syntax', path, `invalid JMESPath query ${expression}: ${parsed.fault}`, {expression});
      continue;
    }
    const unknown = [...parsed.query.roots].filter(root => !isKnown(root));
    if (unknown.length === 0) continue;
    faults.error(
      'variable-unknown',
      path,
      `variable {{${expression}}} must match patterns [target.*, images.*, a function call, or a context entry]`,
      {expression, hint: `unknown: ${unknown.join(', ')}`},
    );
  }
}
