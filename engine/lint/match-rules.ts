import type {ClassicPolicy, ClassicRule, ResourceFilter} from '../policy/model.js';
import {globMatch} from '../values/glob.js';
import type {LintRule, RuleSubject} from './types.js';
import {filtersOf, kindName} from './walk.js';

/** Whether a failure of the rule, or of judging it, can refuse requests. */
export function canRefuse({policy, rule}: RuleSubject): boolean {
  if (rule.action.type === 'mutate') return rule.action.targets === undefined && policy.spec.failurePolicy === 'Fail';
  return rule.action.type === 'validate' && enforces(policy, rule);
}

export function enforces(policy: ClassicPolicy, rule: ClassicRule): boolean {
  if (!policy.spec.admission || rule.action.type !== 'validate') return false;
  const {failureAction, failureActionOverrides} = rule.action;
  const overrides = [...failureActionOverrides, ...policy.spec.failureActionOverrides];
  return (
    (failureAction ?? policy.spec.failureAction) === 'Enforce' || overrides.some(({action}) => action === 'Enforce')
  );
}

function isNarrow(filter: ResourceFilter): boolean {
  return (
    filter.namespaces.some(name => name !== '*') ||
    filter.names.some(name => name !== '*') ||
    filter.selector !== undefined ||
    filter.namespaceSelector !== undefined ||
    filter.annotations !== undefined
  );
}

const matchEverything: LintRule = {
  id: 'match-everything',
  severity: 'warning',
  summary: 'A rule that selects every kind is asked about every request of the cluster',
  hint: 'name the kinds that the rule is about, or limit it by namespaces, names or a selector',
  *check({policy, rule}) {
    for (const {filter, path} of filtersOf(rule, 'match')) {
      if (!filter.kinds.some(kind => kindName(kind) === '*') || isNarrow(filter)) continue;
      const blocks = policy.spec.failurePolicy === 'Fail' && canRefuse({policy, rule});
      yield {
        path: `${path}.resources.kinds`,
        message: blocks ? 'selects every kind, and refuses what it cannot judge' : 'selects every kind',
        ...(blocks && {severity: 'error' as const}),
      };
    }
  },
};

/** What a cluster needs to come up, and what the API server itself asks. */
const bootstrapKinds = [
  'Node',
  'CertificateSigningRequest',
  'Lease',
  'TokenReview',
  'SubjectAccessReview',
  'SelfSubjectAccessReview',
  'LocalSubjectAccessReview',
  'Endpoints',
  'EndpointSlice',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
];

const failOnBootstrapKind: LintRule = {
  id: 'fail-on-bootstrap-kind',
  severity: 'error',
  summary: 'A cluster cannot start when what it needs to start is refused while the operator is away',
  hint: 'set spec.failurePolicy: Ignore, or leave these kinds to background scans (spec.admission: false)',
  *check(subject) {
    const {policy, rule} = subject;
    if (policy.spec.failurePolicy !== 'Fail' || !canRefuse(subject)) return;
    for (const {filter, path} of filtersOf(rule, 'match')) {
      for (const [index, selector] of filter.kinds.entries()) {
        const kind = kindName(selector);
        if (kind === '*' || isNarrow(filter)) continue;
        const hit = bootstrapKinds.find(known => globMatch(kind, known));
        if (hit !== undefined)
          yield {
            path: `${path}.resources.kinds[${index}]`,
            message: `${hit} is refused while no replica answers (failurePolicy Fail)`,
          };
      }
    }
  },
};

function leavesOut(rule: ClassicRule, filter: ResourceFilter, namespace: string): boolean {
  const selected = filter.namespaces.length === 0 || filter.namespaces.some(pattern => globMatch(pattern, namespace));
  if (!selected || filter.namespaceSelector !== undefined) return true;
  return filtersOf(rule, 'exclude').some(
    ({filter: {namespaces, kinds}}) =>
      namespaces.some(pattern => globMatch(pattern, namespace)) &&
      (kinds.length === 0 || kinds.some(kind => filter.kinds.includes(kind) || kind === '*')),
  );
}

const systemKinds = ['Secret', 'ConfigMap', 'Pod', 'DaemonSet', 'ServiceAccount'];

const enforceInKubeSystem: LintRule = {
  id: 'enforce-in-kube-system',
  severity: 'warning',
  summary: 'Refusing objects of kube-system can keep networking, storage or credentials from coming back',
  hint: 'exclude the namespaces kube-system and kube-node-lease',
  *check(subject) {
    const {policy, rule} = subject;
    if (policy.ref.namespace !== '' || rule.action.type !== 'validate' || !enforces(policy, rule)) return;
    for (const {filter, path} of filtersOf(rule, 'match')) {
      const hit = filter.kinds.map(kindName).find(kind => systemKinds.includes(kind));
      if (
        hit === undefined ||
        filter.names.length > 0 ||
        filter.selector !== undefined ||
        leavesOut(rule, filter, 'kube-system')
      )
        continue;
      yield {path, message: `refuses ${hit}s in kube-system too`, severity: hit === 'Secret' ? 'warning' : 'info'};
    }
  },
};

const excludeByUser: LintRule = {
  id: 'exclude-by-user',
  severity: 'warning',
  summary: 'Who is excluded by name creates Pods through controllers, which are not',
  hint: 'exclude by namespace or label, or write a PolicyException; keep user exclusions to kinds that users create themselves',
  *check({policy, rule}) {
    if (rule.action.type !== 'validate' || !enforces(policy, rule)) return;
    for (const {filter, path} of filtersOf(rule, 'exclude')) {
      const field = (['subjects', 'roles', 'clusterRoles'] as const).find(name => filter[name].length > 0);
      if (field === undefined) continue;
      const viaControllers = filtersOf(rule, 'match').some(({filter: {kinds}}) =>
        kinds.some(kind => ['Pod', 'ReplicaSet', 'Job', '*'].includes(kindName(kind))),
      );
      yield {
        path: `${path}.${field}`,
        message: viaControllers
          ? 'an enforced rule excludes users, but controllers, not users, create these objects'
          : 'an enforced rule excludes users: whoever holds the name or role is not judged at all',
        severity: viaControllers ? 'warning' : 'info',
      };
    }
  },
};

export const matchRules: readonly LintRule[] = [
  matchEverything,
  failOnBootstrapKind,
  enforceInKubeSystem,
  excludeByUser,
];
