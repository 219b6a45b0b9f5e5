import type {ClassicPolicy} from '../policy/model.js';
import {imageCheckRule, imageScanRule} from '../verify-images/derived-rules.js';
import type {CompiledPolicy, CompiledRule} from './types.js';

type RuleLists = Pick<
  CompiledPolicy,
  'rules' | 'validateRules' | 'scanRules' | 'mutateRules' | 'imageRules' | 'backgroundRules'
>;

/** Rules by when they are run. What verifies images takes part twice: in mutation, and in validation or in scans. */
export function ruleLists(rules: readonly CompiledRule[], policy: ClassicPolicy): RuleLists {
  return {
    rules,
    validateRules: rules.flatMap(rule => {
      if (rule.type === 'verifyImages') return rule.images.checks ? [imageCheckRule(rule, policy)] : [];
      return rule.type === 'validate' ? [rule] : [];
    }),
    scanRules: rules.flatMap(rule => {
      if (rule.type === 'verifyImages') return [imageScanRule(rule, policy)];
      return rule.type === 'validate' ? [rule] : [];
    }),
    mutateRules: rules.filter(rule => rule.type === 'mutate'),
    imageRules: rules.filter(rule => rule.type === 'verifyImages'),
    backgroundRules: rules.filter(rule => rule.type === 'generate' || rule.type === 'mutateExisting'),
  };
}
