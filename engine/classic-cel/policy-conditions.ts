import {compileNativeRules, type NativeRules} from '../admission-policies/compile-rules.js';
import {decide} from '../admission-policies/decide.js';
import {asBackgroundUser} from '../admission-policies/judge-admission.js';
import type {PolicyConditions} from '../compile/types.js';
import {CompileError, EvalError} from '../diagnostic.js';
import type {ClassicPolicy} from '../policy/model.js';
import type {RegexEngine} from '../regex/types.js';

export const conditionsPath = 'spec.webhookConfiguration.matchConditions';

/**
 * `matchConditions` of a classic policy for requests that no API server looked at before: background scans, files. What
 * cannot be evaluated does not hold. Throws CompileError where they are ours alone to judge; an API server that judges
 * them, too, says itself what it refuses.
 */
export function compilePolicyConditions(
  {spec: {matchConditions}}: ClassicPolicy,
  {regex, alone}: {readonly regex: RegexEngine; readonly alone: boolean},
): PolicyConditions | undefined {
  if (matchConditions.length === 0) return undefined;
  const {rules, problems} = compileNativeRules(
    {
      variables: [],
      conditions: matchConditions,
      validations: [],
      params: false,
      paths: {variables: '', conditions: conditionsPath, validations: ''},
    },
    {regex, mutating: false},
  );
  if (rules !== undefined) return {alone, hold: holding(rules)};
  if (!alone) return {alone, hold: () => false};
  const [problem] = problems;
  throw new CompileError({...problem!, message: `match conditions compilation errors: ${problem!.message}`});
}

function holding(rules: NativeRules): PolicyConditions['hold'] {
  return (request, run) => {
    const about = {request: asBackgroundUser(request), host: run, cluster: run, params: null};
    try {
      return decide(rules, about).type === 'admit';
    } catch (thrown) {
      if (thrown instanceof EvalError) return false;
      throw thrown;
    }
  };
}
