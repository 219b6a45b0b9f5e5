import {
  type CompiledAdmissionPolicy,
  compileAdmissionPolicy,
} from '../../engine/admission-policies/compile-admission-policy.js';
import {loadAdmissionBinding, loadAdmissionPolicy} from '../../engine/admission-policies/load.js';
import {compileCelPolicy} from '../../engine/cel-policies/compile/compile-cel-policy.js';
import {loadCelPolicy} from '../../engine/cel-policies/load/load-cel-policy.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import {type Diagnostic, formatDiagnostic} from '../../engine/diagnostic.js';
import type {KeyServiceLack} from '../../engine/image/key-services.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {FileError} from '../files/file-error.js';
import {sharedRegex} from './regex.js';

export interface PreparedCel {
  readonly cel: CompiledCelPolicy | undefined;
  readonly native: CompiledAdmissionPolicy | undefined;
  readonly refusal: string | undefined;
  readonly invalid: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

const nothing: PreparedCel = {cel: undefined, native: undefined, refusal: undefined, invalid: [], warnings: []};

/** A policy of `policies.kyverno.io`, or what is wrong with it. Here it may do what an installation has to allow first. */
export function prepareCel(raw: JsonObject, resources: ResourceMap, keyServiceLack?: KeyServiceLack): PreparedCel {
  const {policy: source, errors, warnings} = loadCelPolicy(raw, {rulesOptional: true});
  if (source === undefined) return {...nothing, invalid: errors, warnings};
  const {policy, problems} = compileCelPolicy(source, {
    regex: sharedRegex(),
    resources,
    allowHttp: true,
    proxyModes: true,
    ...(keyServiceLack && {keyServiceLack}),
  });
  if (policy !== undefined) return {...nothing, cel: policy, warnings: [...warnings, ...policy.warnings]};
  const unserved = problems.find(({code}) => code === 'not-served');
  if (unserved !== undefined) return {...nothing, refusal: formatDiagnostic({...unserved, path: ''}), warnings};
  return {...nothing, invalid: problems, warnings};
}

/** A policy of Kubernetes' own with those bindings among `bindings` that name it. Throws `FileError` for a broken binding. */
export function prepareNative(raw: JsonObject, bindings: readonly JsonObject[]): PreparedCel {
  const {policy: source, errors, warnings} = loadAdmissionPolicy(raw);
  if (source === undefined) return {...nothing, invalid: errors, warnings};
  const {policy, problems} = compileAdmissionPolicy(source, bindings.map(readBinding), sharedRegex());
  return policy === undefined ? {...nothing, invalid: problems, warnings} : {...nothing, native: policy, warnings};
}

function readBinding(raw: JsonObject) {
  const {policy: binding, errors} = loadAdmissionBinding(raw);
  if (binding === undefined) throw new FileError(errors.map(formatDiagnostic).join('; '));
  return binding;
}
