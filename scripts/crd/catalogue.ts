import {celPolicyException} from './cel/cel-policy-exception.js';
import {deletingPolicies} from './cel/deleting-policy.js';
import {generatingPolicies} from './cel/generating-policy.js';
import {imageValidatingPolicies} from './cel/image-validating-policy.js';
import {mutatingPolicies} from './cel/mutating-policy.js';
import {validatingPolicies} from './cel/validating-policy.js';
import {cleanupPolicy, clusterCleanupPolicy} from './cleanup-policy.js';
import type {Definition} from './definition.js';
import {globalContextEntry} from './global-context-entry.js';
import {clusterPolicy, policy} from './policy.js';
import {kyvernoConfiguration} from './kyverno-configuration.js';
import {policyException} from './policy-exception.js';
import {clusterEphemeralReport, clusterPolicyReport, ephemeralReport, policyReport} from './report.js';
import {updateRequest} from './update-request.js';

/** Every kind that we define. */
export const catalogue: readonly Definition[] = [
  clusterPolicy,
  policy,
  policyException,
  cleanupPolicy,
  clusterCleanupPolicy,
  kyvernoConfiguration,
  updateRequest,
  globalContextEntry,
  ...validatingPolicies,
  ...mutatingPolicies,
  ...generatingPolicies,
  ...imageValidatingPolicies,
  ...deletingPolicies,
  celPolicyException,
  policyReport,
  clusterPolicyReport,
  ephemeralReport,
  clusterEphemeralReport,
];
