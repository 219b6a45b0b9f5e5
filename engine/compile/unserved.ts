import type {Diagnostic} from '../diagnostic.js';
import {idleProviders} from '../image/idle-providers.js';
import {child, strings} from '../policy/access.js';
import {contextsOf} from '../policy/rule-contexts.js';
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
  reasons.push(...policy.spec.rules.flatMap(rule => idleCredentials(rule, options)));
  if (policy.spec.matchConditions.length > 0 && !judgesConditions(options)) {
    reasons.push({
      code: 'not-served',
      path: 'spec.webhookConfiguration.matchConditions',
      message: 'matchConditions are judged by the API server; without one this release cannot judge them',
    });
  }
  return reasons;
}

function judgesConditions({matchConditions, regex}: CompileOptions): boolean {
  return matchConditions === 'by-api-server' || (matchConditions === 'by-engine' && regex !== undefined);
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

/** Registries that are asked by credentials that this installation has not. */
function idleCredentials(rule: ClassicRule, {providerLack}: CompileOptions): Diagnostic[] {
  const {path, name, action} = rule;
  const asked = [
    ...(action.type === 'verifyImages' ? action.raw.map((raw, index) => ({raw, at: `${path}.verifyImages[${index}]`})) : []),
    ...contextsOf(rule).flatMap(({entries, at}) =>
      entries.flatMap((entry, index) => (entry.type === 'imageRegistry' ? [{raw: entry.raw, at: `${at}.context[${index}].imageRegistry`}] : [])),
    ),
  ];
  return asked.flatMap(({raw, at}) => {
    const credentials = child(raw, 'imageRegistryCredentials');
    const named = {providers: strings(credentials, 'providers'), secrets: strings(credentials, 'secrets')};
    const why = idleProviders(named, providerLack);
    const place = `${at}.imageRegistryCredentials.providers`;
    return why === undefined ? [] : [{code: 'not-served', path: place, message: `rule ${name}: ${why}`}];
  });
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
