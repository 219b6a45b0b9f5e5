import {cleanupPolicy, clusterCleanupPolicy} from './cleanup-policy.js';
import type {Definition} from './definition.js';
import {globalContextEntry} from './global-context-entry.js';
import {clusterPolicy, policy} from './policy.js';
import {policyException} from './policy-exception.js';
import {updateRequest} from './update-request.js';

/** Every kind that we define. */
export const catalogue: readonly Definition[] = [
  clusterPolicy,
  policy,
  policyException,
  cleanupPolicy,
  clusterCleanupPolicy,
  updateRequest,
  globalContextEntry,
];
