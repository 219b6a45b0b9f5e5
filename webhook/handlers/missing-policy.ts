import {failed} from '../answers.js';
import {type AdmissionRoute, errorPolicy} from '../routes.js';
import type {AdmissionAnswer, PolicyNames} from '../types.js';

/** A webhook entry can outlive its policy for a moment; judged by the path's failure policy, never as a pass. */
export function missingPolicy(route: AdmissionRoute, policies: PolicyNames | undefined): AdmissionAnswer | undefined {
  if (policies === undefined || route.policies === undefined) return undefined;
  const missing = route.policies.find(key => !policies.has(key));
  if (missing === undefined) return undefined;
  const key = missing.includes('/') ? missing : `/${missing}`;
  return failed(errorPolicy(route), `failed to fetch policy with key: key ${key}: policy not found`);
}
