import {join} from 'node:path';
import {guideRoot} from '../../guide/load.js';

/** Files that the flows of a user are tried with: our own, and those of the guide where it is there. */
export interface FlowMaterial {
  readonly title: string;
  /** One policy, in three stages: reporting only, in namespace `test` only, everywhere. */
  readonly stages: {readonly files: readonly [string, string, string]; readonly policy: string; readonly rule: string; readonly label: string};
  /** Policies of two teams' namespaces and one of everybody. */
  readonly tenants: {
    readonly file: string;
    readonly namespaces: readonly [string, string];
    /** What its own policy and that of everybody ask for in the first namespace. */
    readonly ownLabel: Readonly<Record<string, string>>;
    readonly commonLabel: Readonly<Record<string, string>>;
    readonly own: string;
    readonly common: string;
    /** What the policies of the first namespace say. */
    readonly message: string;
  };
  /** A policy that wants a label, and an exception from it. */
  readonly exception: {readonly file: string; readonly policy: string; readonly rule: string; readonly name: string; readonly namespace: string; readonly excepted: Readonly<Record<string, string>>};
  /** Who may write policies. */
  readonly writers: {readonly file: string; readonly group: string};
  /** A ConfigMap that is copied to all namespaces. */
  readonly copied: {readonly file: string; readonly policy: string; readonly source: string; readonly labels: Readonly<Record<string, string>>};
}

const samples = join(import.meta.dirname, '../testdata');

const ours: FlowMaterial = {
  title: 'own samples',
  stages: {
    files: [1, 2, 3].map(stage => join(samples, `flows/stage-${stage}.yaml`)) as unknown as [string, string, string],
    policy: 'staged',
    rule: 'has-contact',
    label: 'contact',
  },
  tenants: {
    file: join(samples, 'flows/tenants.yaml'),
    namespaces: ['team-red', 'team-blue'],
    ownLabel: {desk: 'one'},
    commonLabel: {floor: 'two'},
    own: 'team-red/desk',
    common: 'every-floor',
    message: 'red: label desk is missing',
  },
  exception: {
    file: join(samples, 'guide/policies/owner-audit.yaml'),
    policy: 'owner-audit',
    rule: 'has-owner',
    name: 'old-things',
    namespace: 'museum',
    excepted: {age: 'old'},
  },
  writers: {file: join(samples, 'guide/manifests/writers.yaml'), group: 'writers'},
  copied: {file: join(samples, 'guide/cases/spread.yaml'), policy: 'spread', source: 'spread-out', labels: {spread: 'yes'}},
};

/** Own material, then the guide's when it is beside the repository. */
export function flowMaterials(): readonly FlowMaterial[] {
  const root = guideRoot();
  if (root === undefined) return [ours];
  const stages = ['cases/39a-rollout-audit.yaml', 'cases/39b-rollout-one-namespace.yaml', 'cases/39c-rollout-enforce.yaml'];
  const guide: FlowMaterial = {
    title: 'the guide',
    stages: {files: stages.map(file => join(root, file)) as unknown as [string, string, string], policy: 'guide-rollout', rule: 'need-owner', label: 'owner'},
    tenants: {
      file: join(root, 'cases/40-tenant-policies.yaml'),
      namespaces: ['team-a', 'team-b'],
      ownLabel: {tier: 'front'},
      commonLabel: {owner: 'ann'},
      own: 'team-a/team-a-policies',
      common: 'global-policies',
      message: 'team-a: label tier is required',
    },
    exception: {
      file: join(root, 'policies/42-require-labels-with-exception.yaml'),
      policy: 'require-labels',
      rule: 'check-labels',
      name: 'legacy-app-exception',
      namespace: 'legacy-apps',
      excepted: {legacy: 'true'},
    },
    writers: {file: join(root, 'manifests/41-rbac-policy-admin.yaml'), group: 'platform-team'},
    copied: {
      file: join(root, 'policies/43-sync-configmap-to-namespaces.yaml'),
      policy: 'sync-configmap-to-namespaces',
      source: 'shared-config',
      labels: {'app.kubernetes.io/part-of': 'namespace-config'},
    },
  };
  return [ours, guide];
}
