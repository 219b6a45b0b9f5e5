import type {CelPolicy, GeneratingPolicy, MatchConstraints} from '../../engine/cel-policies/model.js';
import {isObject, own} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {expressionsOf, type ResourceCall, readsOfExpression} from './cel-reads.js';
import {hasVariables, type Place, placesOf} from './named-kinds.js';
import {addRoleRights} from './role-rights.js';
import {addImagePolicy} from './secret-rights.js';
import {type Duty, NeedsList, type Needs, ownVerbs, scanVerbs} from './right.js';

/** What a policy of `policies.kyverno.io` makes the operator do. `constraints`: its own and those that autogen derived. */
export function celNeeds(policy: CelPolicy, constraints: readonly (MatchConstraints | undefined)[], resources: ResourceMap): Needs {
  const needs = new NeedsList();
  const duties = addTriggers(needs, policy, constraints, resources);
  const reads = [...expressionsOf(own(policy.raw, 'spec') ?? null)].map(({path, text}) => ({path, ...readsOfExpression(text)}));
  for (const {path, calls} of reads) for (const call of calls) addCall(needs, call, {path, duties});
  const spec = own(policy.raw, 'spec');
  if (policy.type === 'imageValidating' && isObject(spec)) addImagePolicy(needs, spec, {duties, path: 'spec', home: policy.ref.namespace});
  if (policy.type === 'generating') addMade(needs, policy, {reads, resources});
  return needs;
}

function addTriggers(needs: NeedsList, policy: CelPolicy, constraints: readonly (MatchConstraints | undefined)[], resources: ResourceMap): readonly Duty[] {
  const path = 'spec.matchConstraints';
  const namespace = policy.ref.namespace;
  const triggers = (duty: Duty, verbs: readonly string[]) => {
    for (const place of constraints.flatMap(item => placesOfConstraints(item, resources))) needs.add({duty, verbs, ...place, path});
  };
  switch (policy.type) {
    case 'validating':
    case 'imageValidating':
      if (!policy.spec.background) return ['admission'];
      triggers('reports', scanVerbs);
      return ['admission', 'reports'];
    case 'generating':
      triggers('background', policy.spec.synchronize || policy.spec.generateExisting ? scanVerbs : ['get']);
      return ['admission', 'background'];
    case 'deleting':
      for (const place of placesOfConstraints(policy.spec.matchConstraints, resources))
        needs.add({duty: 'cleanup', verbs: ['get', 'list', 'delete'], ...place, namespace, path});
      return ['cleanup'];
    case 'mutating': {
      const targets = policy.spec.targetMatchConstraints;
      const onExisting = policy.spec.mutateExisting || targets !== undefined;
      if (policy.spec.background) triggers('reports', scanVerbs);
      if (!onExisting) return ['admission', 'reports'];
      triggers('background', scanVerbs);
      const changed = targets === undefined ? policy.spec.matchConstraints : targets;
      const at = targets === undefined ? path : 'spec.targetMatchConstraints';
      for (const place of placesOfConstraints(changed, resources))
        needs.add({duty: 'background', verbs: ['get', 'list', 'update', 'patch'], ...place, namespace, path: at});
      if (targets?.expression !== undefined) needs.unknown(`${at}.expression: which objects are changed is known only when the policy works`);
      return ['admission', 'background', 'reports'];
    }
  }
}

/** As rules of RBAC name them: groups and plurals are there already. */
function placesOfConstraints(constraints: MatchConstraints | undefined, resources: ResourceMap): readonly Place[] {
  return (constraints?.resourceRules ?? []).flatMap(rule =>
    rule.apiGroups.flatMap(group =>
      rule.resources.flatMap((written): Place[] => {
        const [resource = ''] = written.split('/');
        if (resource !== '*' || group === '*') return [{group, resource}];
        // A star within one group stands for what is known of it.
        const names = [...new Set(resources.all().filter(info => info.group === group).map(info => info.resource))];
        return names.map(name => ({group, resource: name}));
      }),
    ),
  );
}

function addCall(needs: NeedsList, call: ResourceCall, {path, duties}: {readonly path: string; readonly duties: readonly Duty[]}): void {
  const {apiVersion, resource, namespace, name, verbs} = call;
  if (apiVersion === undefined || resource === undefined) {
    needs.unknown(`${path}: the kind that is read is known only when the policy works`);
    return;
  }
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  for (const duty of duties) needs.add({duty, verbs, group, resource, namespace: namespace ?? '', names: name === undefined || name === '' ? [] : [name], path});
}

interface Made {
  readonly reads: ReadonlyArray<ReturnType<typeof readsOfExpression> & {readonly path: string}>;
  readonly resources: ResourceMap;
}

/** Objects written out as maps or in templates; where there are none, what is read is taken to be what is copied. */
function addMade(needs: NeedsList, policy: GeneratingPolicy, {reads, resources}: Made): void {
  const verbs = policy.spec.synchronize ? ownVerbs : ['get', 'create'];
  const add = (place: Place, path: string) => {
    needs.add({duty: 'background', verbs, ...place, path});
    addRoleRights(needs, undefined, {place, namespace: '', path});
  };
  const written = [...reads.flatMap(({path, objects}) => objects.map(object => ({...object, path}))), ...templateKinds(needs, policy)];
  for (const {apiVersion, kind, path} of written) {
    const found = placesOf(apiVersion, kind, resources);
    if (found === undefined) needs.unknown(`${path}: no kind ${apiVersion} ${kind} is known; give --crds, or ask a cluster`);
    for (const place of found?.places ?? []) add(place, path);
  }
  if (written.length > 0) return;
  const copied = reads.flatMap(({calls, path}) => calls.map(call => ({...call, path})));
  for (const {apiVersion, resource, path} of copied) {
    if (apiVersion === undefined || resource === undefined) continue;
    add({group: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '', resource}, path);
    // A copy is kept in step with its source.
    if (policy.spec.synchronize) needs.add({duty: 'background', verbs: scanVerbs, group: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '', resource, path});
  }
  if (copied.length === 0) needs.unknown('spec.generate: which kinds are made is known only when the policy works');
}

function templateKinds(needs: NeedsList, policy: GeneratingPolicy): Array<{readonly apiVersion: string; readonly kind: string; readonly path: string}> {
  return policy.spec.generate.flatMap(({template}, index) => {
    if (template === undefined) return [];
    const path = `spec.generate[${index}].template`;
    return template.value.split(/^---\s*$/m).flatMap(document => {
      const [apiVersion = '', kind = ''] = ['apiVersion', 'kind'].map(key => new RegExp(`^\\s*"?${key}"?:\\s*["']?([^\\s"',}]+)`, 'm').exec(document)?.[1] ?? '');
      if (kind !== '' && !/[${]/.test(apiVersion + kind) && !hasVariables(kind)) return [{apiVersion, kind, path}];
      if (document.trim() !== '') needs.unknown(`${path}: the kind that is made is known only when the policy works`);
      return [];
    });
  });
}
