import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {podSelector} from '../labels.js';
import {builtinReads} from '../rights/builtin-reads.js';
import {clusterRights, conditionRight, generateRights, namespaceRights} from '../rights/operator-rights.js';
import {oldestKubernetes, version} from '../settings.js';
import type {InstallSettings, KubeObject} from '../types.js';
import {deployment} from '../workload/deployment.js';
import {almExamples, internalObjects, ownedDefinitions} from './owned.js';

export const packageName = 'kyverno-ts';
export const channel = 'stable';

export interface Release {
  readonly version: string;
  /** The one before, in the same channel. */
  readonly previous?: string;
  /** RFC 3339; the same source gives the same bundle. */
  readonly createdAt: string;
}

/** Of this source. `createdAt` moves with the version. */
export const release: Release = {version, createdAt: '2026-11-30T00:00:00Z'};

export function csvName(of: string): string {
  return `${packageName}.v${of}`;
}

const description = `Policies as Kubernetes objects: they are judged when objects are created, changed or deleted, and in the background on what is there.

**What it does**: validate, mutate, generate and clean up, by patterns or by CEL; reports, Events and metrics of what was found; exceptions as objects of their own.

**After installation**: nothing is judged before a policy is applied. The operator keeps its webhook configurations itself, in step with the policies; the namespaces kube-system and that of the operator are left out. Settings are made in a KyvernoConfiguration of the name \`default\`; without one the defaults hold.

**Rights**: built-in kinds are read by their names, Secrets only in the operator's namespace. \`kyverno rbac\` prints what policies need beyond that; a ClusterRole with the label it shows is added to the operator's rights.

**Install it in the namespace \`kyverno\`**: the bindings that collect such roles name the service account there.

**To remove it**: delete Subscription and ClusterServiceVersion. Webhook configurations go with the last replica.`;

/** Strings, as consoles read them. What is not there is not claimed. */
function features(image: string): Readonly<Record<string, string>> {
  const claims = {
    // Mirrors can only follow images that are named by their digest.
    disconnected: /@sha256:[0-9a-f]{64}$/.test(image),
    'fips-compliant': false,
    'proxy-aware': false,
    'tls-profiles': false,
    'token-auth-aws': false,
    'token-auth-azure': false,
    'token-auth-gcp': false,
  };
  return Object.fromEntries(Object.entries(claims).map(([name, holds]) => [`features.operators.openshift.io/${name}`, String(holds)]));
}

/** The ClusterServiceVersion. Webhook configurations are the operator's own: they change with every policy. */
export function clusterServiceVersion(settings: InstallSettings, {version: number, previous, createdAt}: Release = release): KubeObject {
  const {name, namespace, image} = settings;
  const icon = readFileSync(join(import.meta.dirname, 'icon.svg'));
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: csvName(number),
      namespace: 'placeholder',
      labels: {'operatorframework.io/arch.amd64': 'supported', 'operatorframework.io/arch.arm64': 'supported', 'operatorframework.io/os.linux': 'supported'},
      annotations: {
        'alm-examples': JSON.stringify(almExamples(), null, 2),
        capabilities: 'Basic Install',
        categories: 'Security',
        certified: 'false',
        containerImage: image,
        createdAt,
        description: 'Policies as Kubernetes objects: validate, mutate, generate, clean up, report.',
        repository: 'https://kyverno-ts.example.org/source',
        support: 'kyverno-ts maintainers',
        'olm.skipRange': `<${number}`,
        'operatorframework.io/suggested-namespace': namespace,
        'operators.operatorframework.io/internal-objects': JSON.stringify(internalObjects()),
        ...features(image),
      },
    },
    spec: {
      displayName: 'Kyverno (TypeScript)',
      description,
      version: number,
      ...(previous !== undefined && {replaces: csvName(previous)}),
      maturity: 'alpha',
      minKubeVersion: oldestKubernetes,
      keywords: ['policy', 'admission', 'security', 'compliance', 'governance', 'cel'],
      maintainers: [{name: 'kyverno-ts maintainers', email: 'maintainers@kyverno-ts.example.org'}],
      provider: {name: 'kyverno-ts', url: 'https://kyverno-ts.example.org'},
      links: [{name: 'Documentation', url: 'https://kyverno-ts.example.org/docs'}],
      icon: [{base64data: icon.toString('base64'), mediatype: 'image/svg+xml'}],
      // One webhook and one set of kinds for the whole cluster.
      installModes: [
        {type: 'OwnNamespace', supported: false},
        {type: 'SingleNamespace', supported: false},
        {type: 'MultiNamespace', supported: false},
        {type: 'AllNamespaces', supported: true},
      ],
      install: {
        strategy: 'deployment',
        spec: {
          deployments: [{name, label: podSelector, spec: deployment(settings)['spec']}],
          clusterPermissions: [{serviceAccountName: name, rules: [...clusterRights, ...builtinReads(), ...generateRights]}],
          permissions: [{serviceAccountName: name, rules: [...namespaceRights, conditionRight(name)]}],
        },
      },
      relatedImages: [{name: 'kyverno', image}],
      customresourcedefinitions: {owned: ownedDefinitions()},
    },
  };
}
