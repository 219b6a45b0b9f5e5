import type {Check, CompiledImagesRule, CompiledValidateRule} from '../compile/types.js';
import type {ClassicPolicy} from '../policy/model.js';
import {imageCheck, imageScan} from './checks.js';

/** What a verifyImages rule looks at when the object is validated. */
export function imageCheckRule(rule: CompiledImagesRule, policy: ClassicPolicy): CompiledValidateRule {
  return asValidateRule(rule, imageCheck(rule.images, {policy, rule: rule.name}));
}

/** What it looks at in background scans. */
export function imageScanRule(rule: CompiledImagesRule, policy: ClassicPolicy): CompiledValidateRule {
  return asValidateRule(rule, imageScan(rule.images, {policy, rule: rule.name}));
}

function asValidateRule(rule: CompiledImagesRule, check: Check): CompiledValidateRule {
  return {...rule, type: 'validate', forgivesOld: false, isImageCheck: true, check};
}
