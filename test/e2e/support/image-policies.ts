import type {CosignFormat} from '../../images/cosign.js';
import type {Thing} from './policies.js';

const noLogs = {rekor: {ignoreTlog: true}, ctlog: {ignoreSCT: true}};
const scanCondition = {key: '{{ severity }}', operator: 'Equals', value: 'low'};

export interface ImagePolicyOptions {
  readonly name: string;
  /** Pattern of references that are judged. */
  readonly images: string;
  readonly format: CosignFormat;
  /** PEM. */
  readonly publicKey: string;
  /** Type of an attestation that has to say `severity: low`. */
  readonly scan?: string;
  /** Names of pull secrets. */
  readonly secrets?: readonly string[];
}

/** A rule of kind verifyImages on Pods, and what is derived from it. */
export function verifyImagesPolicy({name, images, format, publicKey, scan, secrets}: ImagePolicyOptions, more: object = {}): Thing {
  const attestors = [{entries: [{keys: {publicKeys: publicKey, ...noLogs}}]}];
  const attestation = {type: scan, attestors, conditions: [{all: [scanCondition]}]};
  const entry = {
    type: format === 'bundle' ? 'SigstoreBundle' : 'Cosign',
    imageReferences: [images],
    failureAction: 'Enforce',
    imageRegistryCredentials: {allowInsecureRegistry: true, ...(secrets && {secrets})},
    ...(scan === undefined ? {attestors} : {attestations: [attestation]}),
    ...more,
  };
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name},
    spec: {
      background: false,
      webhookConfiguration: {timeoutSeconds: 30},
      rules: [{name: 'signed', match: {any: [{resources: {kinds: ['Pod']}}]}, verifyImages: [entry]}],
    },
  };
}

/** The same demand as a policy of kind ImageValidatingPolicy. */
export function imageValidatingPolicy({name, images, publicKey, scan, secrets}: ImagePolicyOptions, more: object = {}): Thing {
  const signed = {expression: 'images.containers.map(image, verifyImageSignatures(image, [attestors.key])).all(count, count > 0)'};
  const scanned = [
    {expression: 'images.containers.map(image, verifyAttestationSignatures(image, attestations.scan, [attestors.key])).all(count, count > 0)', message: 'the image has no scan by the key'},
    {expression: "images.containers.map(image, extractPayload(image, attestations.scan).predicate.severity == 'low').all(low, low)", message: 'the scan found something'},
  ];
  return {
    apiVersion: 'policies.kyverno.io/v1beta1',
    kind: 'ImageValidatingPolicy',
    metadata: {name},
    spec: {
      webhookConfiguration: {timeoutSeconds: 30},
      matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods']}]},
      matchImageReferences: [{glob: images}],
      credentials: {allowInsecureRegistry: true, ...(secrets && {secrets})},
      attestors: [{name: 'key', cosign: {key: {data: publicKey}, ctlog: {insecureIgnoreTlog: true, insecureIgnoreSCT: true}}}],
      ...(scan !== undefined && {attestations: [{name: 'scan', intoto: {type: scan}}]}),
      validations: scan === undefined ? [signed] : scanned,
      ...more,
    },
  };
}

export function podOf(name: string, image: string, more: {readonly namespace?: string; readonly annotations?: Readonly<Record<string, string>>; readonly pullSecret?: string} = {}): Thing {
  const {namespace = 'shop', annotations, pullSecret} = more;
  const imagePullSecrets = pullSecret === undefined ? {} : {imagePullSecrets: [{name: pullSecret}]};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name, namespace, ...(annotations && {annotations})},
    spec: {containers: [{name: 'c', image}], ...imagePullSecrets},
  };
}

export function deploymentOf(name: string, image: string): Thing {
  const labels = {app: name};
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name, namespace: 'shop'},
    spec: {replicas: 0, selector: {matchLabels: labels}, template: {metadata: {labels}, spec: {containers: [{name: 'c', image}]}}},
  };
}
