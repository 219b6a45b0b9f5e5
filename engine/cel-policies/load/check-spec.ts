import {checkImageParts} from '../../cel-image/check-parts.js';
import {parseSchedule} from '../../cleanup/schedule.js';
import type {JsonObject} from '../../json/types.js';
import {child, flag, has, objects, strings, text} from '../../policy/access.js';
import {checkSelector} from '../../policy/checks-selector.js';
import {at, type Faults} from '../../policy/faults.js';
import type {CelPolicyType} from '../model.js';

const required = 'Required value';

export interface CheckOptions {
  /** A policy without resource rules is doubtful, not wrong: offline it may be meant for payloads alone. */
  readonly rulesOptional: boolean;
  /** Of a Namespaced kind. */
  readonly namespace?: string | undefined;
}

/** What the fields' types do not say. `spec` has passed its shape. */
export function checkSpec(type: CelPolicyType, spec: JsonObject, faults: Faults, options: CheckOptions): void {
  checkConstraints(spec, faults, options);
  checkExpressions(spec, faults);
  if (type === 'mutating') checkMutating(spec, faults);
  if (type === 'generating') checkGenerate(spec, faults);
  if (type === 'deleting') checkSchedule(spec, faults);
  if (type === 'imageValidating') checkImageParts(spec, options.namespace, faults);
}

/** Payloads have no group and no resource: policies about them need no rules. */
function checkConstraints(spec: JsonObject, faults: Faults, {rulesOptional}: CheckOptions): void {
  const mode = text(child(spec, 'evaluation'), 'mode') || 'Kubernetes';
  const constraints = child(spec, 'matchConstraints');
  if (mode === 'Kubernetes' && objects(constraints, 'resourceRules').length === 0) {
    const message = `${required}: a matchConstraints with at least one resource rule is required`;
    if (rulesOptional) faults.warn('match-constraints', 'spec.matchConstraints', message);
    else faults.error('match-constraints', 'spec.matchConstraints', message);
  }
  if (constraints !== undefined) checkConstraintBlock(constraints, 'spec.matchConstraints', faults);
  const targets = child(spec, 'targetMatchConstraints');
  if (targets !== undefined) checkConstraintBlock(targets, 'spec.targetMatchConstraints', faults);
}

/** A block of matchConstraints or matchResources. */
export function checkConstraintBlock(block: JsonObject, path: string, faults: Faults): void {
  for (const field of ['namespaceSelector', 'objectSelector']) {
    const selector = child(block, field);
    if (selector !== undefined && !isEmptySelector(selector)) checkSelector(selector, at(path, field), faults);
  }
  for (const field of ['resourceRules', 'excludeResourceRules']) {
    objects(block, field).forEach((rule, index) => {
      const place = at(at(path, field), index);
      for (const part of ['apiGroups', 'apiVersions', 'resources']) {
        const values = strings(rule, part);
        if (values.length === 0) faults.error('resource-rule', at(place, part), required);
        if (values.includes('*') && values.length > 1 && part !== 'resources') {
          faults.error(
            'resource-rule',
            at(place, part),
            "Invalid value: if '*' is present, must not specify other values",
          );
        }
      }
    });
  }
}

function isEmptySelector(selector: JsonObject): boolean {
  return (
    Object.keys(child(selector, 'matchLabels') ?? {}).length === 0 && objects(selector, 'matchExpressions').length === 0
  );
}

const namedLists = ['matchConditions', 'variables', 'conditions', 'targetMatchConditions'];

export function checkExpressions(spec: JsonObject, faults: Faults): void {
  for (const field of namedLists) checkNamed(spec, field, faults);
  objects(spec, 'validations').forEach((entry, index) => {
    needs(entry, 'expression', at(at('spec', 'validations'), index), faults);
  });
  objects(spec, 'auditAnnotations').forEach((entry, index) => {
    for (const field of ['key', 'valueExpression'])
      needs(entry, field, at(at('spec', 'auditAnnotations'), index), faults);
  });
}

/** Named expressions are told apart by their names. */
export function checkNamed(spec: JsonObject, field: string, faults: Faults): void {
  const seen = new Set<string>();
  objects(spec, field).forEach((entry, index) => {
    const place = at(at('spec', field), index);
    for (const part of ['name', 'expression']) needs(entry, part, place, faults);
    const name = text(entry, 'name');
    if (name === undefined) return;
    if (seen.has(name)) faults.error('duplicate-name', at(place, 'name'), `Duplicate value: ${JSON.stringify(name)}`);
    seen.add(name);
    if (field === 'variables' && name !== '' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      faults.error(
        'variable-name',
        at(place, 'name'),
        `Invalid value: ${JSON.stringify(name)}: name is not a valid CEL identifier`,
      );
    }
  });
}

function needs(entry: JsonObject, field: string, path: string, faults: Faults): void {
  if (!text(entry, field)?.trim()) faults.error('field-missing', at(path, field), required);
}

function checkMutating(spec: JsonObject, faults: Faults): void {
  const evaluation = child(spec, 'evaluation');
  const admission = flag(child(evaluation, 'admission'), 'enabled') ?? true;
  const existing = flag(child(evaluation, 'mutateExisting'), 'enabled') ?? false;
  if (!admission && !existing) {
    faults.error(
      'evaluation-off',
      'spec.evaluation',
      'Forbidden: disabling both admission and mutateExisting evaluation modes is not allowed',
    );
  }
  objects(spec, 'mutations').forEach((entry, index) => {
    const place = at('spec.mutations', index);
    needs(entry, 'patchType', place, faults);
    const type = text(entry, 'patchType');
    for (const [field, wanted] of [
      ['applyConfiguration', 'ApplyConfiguration'],
      ['jsonPatch', 'JSONPatch'],
    ] as const) {
      const block = child(entry, field);
      if (block === undefined) {
        // Else the entry would do nothing, without a word.
        if (type === wanted) faults.error('field-missing', at(place, field), `${required}: patchType is ${wanted}`);
        continue;
      }
      needs(block, 'expression', at(place, field), faults);
      if (type !== undefined && type !== wanted) {
        faults.warn('patch-type', at(place, field), `not used: patchType is ${type}`);
      }
    }
  });
}

function checkGenerate(spec: JsonObject, faults: Faults): void {
  const entries = objects(spec, 'generate');
  if (entries.length === 0) faults.error('field-missing', 'spec.generate', required);
  entries.forEach((entry, index) => {
    const place = at('spec.generate', index);
    const expression = has(entry, 'expression') && text(entry, 'expression') !== '';
    const template = child(entry, 'template');
    if (expression && template !== undefined) {
      faults.error('generate-form', place, 'Invalid value: only one of expression or template may be set');
    } else if (!expression && template === undefined) {
      faults.error('generate-form', place, `${required}: one of expression or template must be set`);
    } else if (template !== undefined) needs(template, 'value', at(place, 'template'), faults);
  });
}

function checkSchedule(spec: JsonObject, faults: Faults): void {
  const written = text(spec, 'schedule') ?? '';
  if (written === '') {
    faults.error('schedule', 'spec.schedule', `${required}: schedule is required`);
    return;
  }
  const parsed = parseSchedule(written);
  if ('schedule' in parsed) return;
  const shown = JSON.stringify(written.slice(0, 80));
  faults.error(
    'schedule',
    'spec.schedule',
    `Invalid value: ${shown}: schedule spec in the deletingPolicy is not in proper cron format: ${parsed.error}`,
  );
}
