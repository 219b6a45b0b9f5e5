import {builtinResourceMap} from '../../builtin-resources.js';
import {formatDiagnostic} from '../../diagnostic.js';
import {loadClassicPolicy} from '../../policy/index.js';
import type {ClassicPolicy} from '../../policy/model.js';
import {policyOf} from '../../testing/engines.js';

/** The model of a ClusterPolicy `p` of these rules, in YAML. */
export function buildPolicy(rules: string): ClassicPolicy {
  const {policy, errors} = loadClassicPolicy(policyOf('p', rules), {resources: builtinResourceMap});
  if (policy === undefined) throw new Error(errors.map(formatDiagnostic).join('\n'));
  return policy;
}
