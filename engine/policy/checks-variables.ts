import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {child, objects, text} from './access.js';
import type {Scope} from './check-scope.js';
import {expressionsIn, parseExpression} from './expressions.js';
import {at, shown} from './faults.js';

const builtIn = /^(request|serviceAccountName|serviceAccountNamespace|element\d*|elementIndex\d*|images|image|@)$/;
const elementName = /^element(Index)?\d*$/;
const userInfo = /(^|[^.\w"])(request\.(userInfo|roles|clusterRoles)|serviceAccount(Name|Namespace))\b/;
const looked = new Set(['match', 'exclude', 'celPreconditions', 'imageExtractors']);

interface Place {
  readonly ruleName: string;
  readonly names: ReadonlySet<string>;
  readonly inForeach: boolean;
  readonly existing: boolean;
}

/** All `{{ … }}` of a rule: their syntax, functions and roots, and what background mode allows. */
export function checkVariables(rule: JsonObject, path: string, scope: Scope): void {
  const validate = child(rule, 'validate');
  const place: Place = {
    ruleName: text(rule, 'name') ?? '',
    names: collectNames(rule),
    inForeach: false,
    existing: child(rule, 'mutate') !== undefined && Array.isArray(own(child(rule, 'mutate')!, 'targets')),
  };
  for (const key of Object.keys(rule)) {
    if (looked.has(key)) continue;
    if (key === 'validate' && validate && child(validate, 'cel')) {
      // CEL has its own language; only the message may hold variables.
      visit(own(validate, 'message') ?? null, at(at(path, key), 'message'), place, scope);
      continue;
    }
    visit(own(rule, key)!, at(path, key), place, scope);
  }
}

/** Names that context entries and attestations of the rule define, at any level. */
function collectNames(rule: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: string | undefined) => {
    if (name) names.add(name.split('.')[0]!);
  };
  const visitContext = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visitContext);
    else if (isObject(value)) {
      for (const entry of objects(value, 'context')) add(text(entry, 'name'));
      for (const key of ['foreach', 'targets', 'validate', 'mutate', 'generate']) {
        const inner = own(value, key);
        if (inner !== undefined) visitContext(inner);
      }
    }
  };
  visitContext(rule);
  for (const image of objects(rule, 'verifyImages')) {
    for (const attestation of objects(image, 'attestations')) add(text(attestation, 'name'));
  }
  return names;
}

function visit(value: Json, path: string, place: Place, scope: Scope): void {
  if (typeof value === 'string') checkText(value, path, place, scope);
  else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      visit(item, at(path, index), place, scope);
    });
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const inner = at(path, key);
      checkText(key, inner, place, scope);
      // Attestation conditions have the predicate's fields as roots, which nobody can know here.
      if (key === 'attestations') continue;
      const inside = key === 'foreach' ? {...place, inForeach: true} : place;
      visit(own(value, key)!, inner, inside, scope);
      if (key === 'foreach') checkLists(own(value, key)!, inner, inside, scope);
    }
  }
}

function checkLists(entries: Json, path: string, place: Place, scope: Scope): void {
  if (!Array.isArray(entries)) return;
  entries.forEach((entry, index) => {
    const list = isObject(entry) ? text(entry, 'list') : undefined;
    if (list && !list.includes('{{')) checkExpression(list, false, at(at(path, index), 'list'), place, scope);
  });
}

function checkText(value: string, path: string, place: Place, scope: Scope): void {
  if (!value.includes('{{')) return;
  for (const {expression, derived} of expressionsIn(value)) checkExpression(expression, derived, path, place, scope);
}

function checkExpression(expression: string, derived: boolean, path: string, place: Place, scope: Scope): void {
  const {faults, background, mutatesExisting} = scope;
  const quoted = `{{${expression}}}`;
  if (background && !mutatesExisting && userInfo.test(expression)) {
    faults.error(
      'background-variable',
      path,
      `only select variables are allowed in background mode. Set spec.background=false to disable background mode for this policy rule: variable ${quoted} is not allowed`,
      {expression},
    );
  }
  const parsed = parseExpression(expression);
  if ('fault' in parsed) {
    if (!derived) {
      faults.error(
        'jmespath-syntax',
        path,
        `policy contains invalid variables: invalid JMESPath query ${expression}: ${parsed.fault}`,
        {
          expression,
          ...(/\.[A-Za-z0-9_]+[-/]/.test(expression)
            ? {hint: 'put quotes around keys with dashes, dots or slashes: labels."my-key"'}
            : {}),
        },
      );
    }
    return;
  }
  const {roots, functions} = parsed.query;
  const head = /^[A-Za-z_]\w*/.exec(expression)?.[0] ?? '';
  if (elementName.test(head) && roots.has(head) && !place.inForeach && !place.names.has(head)) {
    faults.error(
      'element-outside-foreach',
      path,
      `variable '${expression}' present outside of foreach at path ${path}`,
      {expression},
    );
    return;
  }
  // `""` is the empty text to whoever writes it, the empty key to the language.
  const isKnown = (root: string) =>
    root === '' || builtIn.test(root) || place.names.has(root) || (root === 'target' && place.existing);
  const unknown = [...roots].filter(root => !isKnown(root));
  if (unknown.length === 0 || derived) return;
  const plain = functions.size === 0 && [...roots].every(root => !isKnown(root));
  const message = `policy contains invalid variables: variable substitution failed for rule ${place.ruleName}: variable ${quoted} must match patterns [request.*, serviceAccountName, serviceAccountNamespace, element, elementIndex, @, images.*, image.*, a function call, or a context entry]`;
  const details = {expression, hint: `unknown: ${unknown.map(shown).join(', ')}`};
  if (plain) faults.error('variable-unknown', path, message, details);
  else
    faults.warn('variable-unknown', path, `${quoted} reads ${unknown.join(', ')}, which nothing defines`, {expression});
}
