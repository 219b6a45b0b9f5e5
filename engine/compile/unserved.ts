import type {Diagnostic} from '../diagnostic.js';
import type {ClassicPolicy, ClassicRule, ValidateCheck} from '../policy/model.js';
import type {CompileOptions} from './compile-policy.js';

/**
 * What this release cannot judge. A policy with any of it is refused as a whole: enforcing the rest would look like
 * protection that is not there.
 */
export function unservedReasons(policy: ClassicPolicy, options: CompileOptions): Diagnostic[] {
  const reasons = policy.spec.rules.flatMap(rule => {
    const what = unserved(rule, options);
    return what === undefined
      ? []
      : [{code: 'not-served', path: rule.path, message: `rule ${rule.name}: ${what} is not served by this release`}];
  });
  if (policy.spec.matchConditions.length > 0 && options.matchConditions === 'not-available') {
    reasons.push({
      code: 'not-served',
      path: 'spec.webhookConfiguration.matchConditions',
      message: 'matchConditions are judged by the API server; without one this release cannot judge them',
    });
  }
  return reasons;
}

function unserved(rule: ClassicRule, {background: worked, regex}: CompileOptions): string | undefined {
  const {action} = rule;
  const background = worked === 'served';
  switch (action.type) {
    case 'validate':
      if (action.check.type === 'cel') return regex === undefined ? 'validate.cel' : undefined;
      return servedChecks.has(action.check.type) ? undefined : `validate.${action.check.type}`;
    case 'mutate':
      return action.targets === undefined || background ? undefined : 'mutation of existing objects (mutate.targets)';
    case 'generate':
      return background ? undefined : 'generate';
    case 'cleanup':
      return background ? undefined : 'cleanup';
    case 'verifyImages':
      return undefined;
  }
}

const servedChecks: ReadonlySet<string> = new Set<ValidateCheck['type']>([
  'pattern',
  'anyPattern',
  'deny',
  'foreach',
  'podSecurity',
  'assert',
  'manifests',
]);
