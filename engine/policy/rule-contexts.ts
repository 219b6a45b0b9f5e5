import {isObject, own} from '../json/types.js';
import {objects} from './access.js';
import {buildContext} from './build-context.js';
import type {ClassicRule, ContextEntry, MutatePatch, ValidateCheck} from './model.js';

export interface RuleContext {
  readonly entries: readonly ContextEntry[];
  /** What has the field `context`: `spec.rules[0].validate.foreach[1]`. */
  readonly at: string;
}

/** All that a rule loads: for itself, in its loops and theirs, and for its targets. */
export function contextsOf(rule: ClassicRule): readonly RuleContext[] {
  const {action, path} = rule;
  const whole = {entries: rule.context, at: path};
  switch (action.type) {
    case 'validate':
      return [whole, ...ofCheck(action.check, `${path}.validate`)];
    case 'mutate': {
      const targets = (action.targets ?? []).map((target, index) => ({
        entries: buildContext(objects(target, 'context')),
        at: `${path}.mutate.targets[${index}]`,
      }));
      return [whole, ...ofPatch(action.patch, `${path}.mutate`), ...targets];
    }
    case 'generate':
      return [whole, ...ofLoops(action.raw, `${path}.generate`)];
    default:
      return [whole];
  }
}

function ofCheck(check: ValidateCheck, path: string): RuleContext[] {
  if (check.type !== 'foreach') return [];
  return check.entries.flatMap((entry, index) => {
    const at = `${path}.foreach[${index}]`;
    return [{entries: entry.context, at}, ...ofCheck(entry.check, at)];
  });
}

function ofPatch(patch: MutatePatch, path: string): RuleContext[] {
  if (patch.type !== 'foreach') return [];
  return patch.entries.flatMap((entry, index) => {
    const at = `${path}.foreach[${index}]`;
    return [{entries: entry.context, at}, ...ofPatch(entry.patch, at)];
  });
}

function ofLoops(raw: Parameters<typeof own>[0], path: string): RuleContext[] {
  const loops = own(raw, 'foreach');
  return (Array.isArray(loops) ? loops : []).flatMap((entry, index) =>
    isObject(entry) ? [{entries: buildContext(objects(entry, 'context')), at: `${path}.foreach[${index}]`}] : [],
  );
}
