import {defaultMinor} from '../../cluster/minors.js';
import type {ClusterSuite} from './suites.js';

/** A control plane and an operator that a group of suites shares. */
export interface Profile {
  /** Short and unique, for logs and results. */
  readonly name: string;
  readonly minor: string;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly runtimeConfig: readonly string[];
  /** Flags of the operator; `undefined` when the suites want none. */
  readonly operatorArgs: readonly string[] | undefined;
  /** Pods of all namespaces get scheduled and say that they run. */
  readonly pods: boolean;
  /** The definitions of third parties that the policy library leans on. */
  readonly libraryDefinitions: boolean;
}

/** A suite that cannot run here at all. */
export interface Unreachable {
  readonly unreachable: string;
}

const standard = [
  '--crdWatcher=true',
  '--exceptionNamespace=*',
  '--omitEvents=',
  '--validatingAdmissionPolicyReports=true',
];
const generateMutating = '--generateMutatingAdmissionPolicy=true';
const reportMutating = '--mutatingAdmissionPolicyReports=true';

/** Operator flags by what the index says of the configuration; Kyverno's defaults where it says nothing more. */
const configurations: Readonly<Record<string, {readonly name: string; readonly args?: readonly string[]} | string>> = {
  standard: {name: 'standard', args: standard},
  'standard,ttl': {name: 'standard', args: standard},
  'standard|default|force-failure-policy-ignore': {name: 'standard', args: standard},
  '(not run by upstream CI)': {name: 'standard', args: standard},
  default: {name: 'default', args: ['--enablePolicyException=false', '--omitEvents=PolicyApplied,PolicySkipped']},
  'standard,force-failure-policy-ignore': {name: 'ignore', args: [...standard, '--forceFailurePolicyIgnore=true']},
  'standard,generate-mutating-admission-policy': {name: 'generate-map', args: [...standard, generateMutating]},
  'standard,mutating-admission-policy-reports': {name: 'map-reports', args: [...standard, reportMutating]},
  'standard + tlsKeyAlgorithm=ECDSA': {name: 'ecdsa', args: [...standard, '--tlsKeyAlgorithm=ECDSA']},
  'standard + tlsKeyAlgorithm=Ed25519': {name: 'ed25519', args: [...standard, '--tlsKeyAlgorithm=Ed25519']},
  '(no operator: CLI binary only)': {name: 'cli'},
  'standard + cert-manager ECDSA': 'needs cert-manager running in the cluster',
  'standard,custom-sigstore': 'needs sigstore services and a signed image in the cluster',
  'standard,sigstore-custom-tuf': 'needs the public TUF repository',
};

/** MutatingAdmissionPolicy: alpha with gate and group version, beta with gate and group version, served by default. */
const alpha = ['admissionregistration.k8s.io/v1alpha1=true'];
const beta = ['admissionregistration.k8s.io/v1beta1=true'];

/** Where the suite runs. `pods` asks for a control plane with a scheduler for suites that need running Pods. */
export function profileOf(suite: ClusterSuite): Profile | Unreachable {
  const configuration = Object.hasOwn(configurations, suite.operatorConfig)
    ? configurations[suite.operatorConfig]
    : undefined;
  if (configuration === undefined) return {unreachable: `unknown operator configuration ${suite.operatorConfig}`};
  if (typeof configuration === 'string') return {unreachable: configuration};
  const mutating = mutatingAdmissionPolicy(suite.family);
  const libraryDefinitions = suite.kind === 'policies-chainsaw';
  const parts = [configuration.name, ...(mutating ? [mutating.name] : [])];
  if (suite.needsPods) parts.push('pods');
  if (libraryDefinitions) parts.push('library');
  return {
    name: parts.join('+'),
    minor: mutating?.minor ?? defaultMinor,
    featureGates: mutating?.gate ? {MutatingAdmissionPolicy: true} : {},
    runtimeConfig: mutating?.runtimeConfig ?? [...beta],
    operatorArgs: configuration.args,
    pods: suite.needsPods,
    libraryDefinitions,
  };
}

function mutatingAdmissionPolicy(family: string) {
  if (!/mutating-admission-policy/.test(family)) return undefined;
  if (family.endsWith('-alpha')) return {name: 'alpha', minor: '1.33', gate: true, runtimeConfig: alpha};
  if (family.endsWith('-v1')) return {name: 'v1', minor: defaultMinor, gate: false, runtimeConfig: []};
  // Served beside v1 until 1.40.
  return {name: 'beta', minor: defaultMinor, gate: true, runtimeConfig: [...alpha, ...beta]};
}
