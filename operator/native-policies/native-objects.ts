import type {KubeClient} from '../../adapters/kube/types.js';
import {deepEqual} from '../../engine/json/equal.js';
import {textMapOf, textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {compact, managedByLabel, type NativePlan, type NativeType} from './native-plan.js';

export const nativeGroup = 'admissionregistration.k8s.io';

/** The policy whose copy an object is. */
export interface NativeOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface NativeKind {
  readonly kind: string;
  readonly resource: string;
}

export const nativeKinds: Readonly<Record<NativeType, {readonly policy: NativeKind; readonly binding: NativeKind}>> = {
  validating: {
    policy: {kind: 'ValidatingAdmissionPolicy', resource: 'validatingadmissionpolicies'},
    binding: {kind: 'ValidatingAdmissionPolicyBinding', resource: 'validatingadmissionpolicybindings'},
  },
  mutating: {
    policy: {kind: 'MutatingAdmissionPolicy', resource: 'mutatingadmissionpolicies'},
    binding: {kind: 'MutatingAdmissionPolicyBinding', resource: 'mutatingadmissionpolicybindings'},
  },
};

/** Of each kind, the newest first. */
export const versionsOf: Readonly<Record<NativeType, readonly string[]>> = {validating: ['v1'], mutating: ['v1', 'v1beta1', 'v1alpha1']};

/** The newest version that the API server serves. */
export function servedVersion(type: NativeType, resources: ResourceMap): string | undefined {
  const {kind} = nativeKinds[type].policy;
  const served = new Set(resources.find(kind).flatMap(info => (info.group === nativeGroup ? [info.version] : [])));
  return versionsOf[type].find(version => served.has(version));
}

/** One of the two objects of a plan, as it is to be. */
export interface NativeObject extends NativeKind {
  readonly version: string;
  readonly name: string;
  readonly spec: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: NativeOwner;
}

export function objectsOf(plan: NativePlan, version: string, owner: NativeOwner): {readonly policy: NativeObject; readonly binding: NativeObject} {
  const kinds = nativeKinds[plan.type];
  const common = {version, labels: plan.labels, owner};
  return {
    policy: {...kinds.policy, ...common, name: plan.name, spec: plan.spec},
    binding: {...kinds.binding, ...common, name: plan.bindingName, spec: plan.binding},
  };
}

/** Whether the object is a copy of the policy of that name, this one or one before it. */
export function isCopyOf(object: JsonObject | undefined, {kind, name}: Pick<NativeOwner, 'kind' | 'name'>): object is JsonObject {
  if (textMapOf(ownPath(object, 'metadata', 'labels'))[managedByLabel] !== 'kyverno') return false;
  return ownersOf(object).some(owner => own(owner, 'kind') === kind && own(owner, 'name') === name);
}

function ownersOf(object: Json | undefined): JsonObject[] {
  const owners = ownPath(object, 'metadata', 'ownerReferences');
  return Array.isArray(owners) ? owners.filter(isObject) : [];
}

/** The policies whose copies these objects are. */
export function ownerOf(object: JsonObject, kinds: readonly string[]): {readonly kind: string; readonly name: string} | undefined {
  if (textMapOf(ownPath(object, 'metadata', 'labels'))[managedByLabel] !== 'kyverno') return undefined;
  const owner = ownersOf(object).find(each => kinds.includes(textOf(own(each, 'kind'))));
  return owner && {kind: textOf(own(owner, 'kind')), name: textOf(own(owner, 'name'))};
}

/** Whether the API server judges by what is wanted: labels and the like do not matter. */
export function saysTheSame(live: JsonObject | undefined, wanted: NativeObject): boolean {
  if (live === undefined || ownPath(live, 'metadata', 'deletionTimestamp') !== undefined) return false;
  const spec = own(live, 'spec');
  return isObject(spec) && ownersOf(live).some(owner => own(owner, 'uid') === wanted.owner.uid) && deepEqual(compact(spec), wanted.spec);
}

/** The object to be written; `undefined` when it is as it should be. */
export function renderObject(wanted: NativeObject, live: JsonObject | undefined): JsonObject | undefined {
  const {kind, name, version, spec, labels, owner} = wanted;
  const {apiVersion, uid} = owner;
  const reference: JsonObject = {apiVersion, kind: owner.kind, name: owner.name, uid};
  const before = live === undefined ? {} : own(live, 'metadata');
  const metadata: JsonObject = isObject(before) ? before : {};
  const others = textMapOf(own(metadata, 'labels'));
  const keepsOld = Object.keys(others).filter(label => label.startsWith('reports.kyverno.io/') && !Object.hasOwn(labels, label));
  const nextLabels: Record<string, string> = {...others, ...labels};
  for (const label of keepsOld) delete nextLabels[label];
  const isRight = live !== undefined && saysTheSame(live, wanted) && deepEqual(nextLabels, {...others}) && deepEqual(ownersOf(live), [reference]);
  if (isRight) return undefined;
  const {managedFields: _managed, ...kept} = metadata;
  return {
    ...live,
    apiVersion: `${nativeGroup}/${version}`,
    kind,
    metadata: {...kept, name, labels: nextLabels, ownerReferences: [reference]},
    spec,
  };
}

const write = {fieldManager: 'kyverno', unthrottled: true} as const;

/** Creates or replaces; rejects as the client does. */
export function writeObject(client: KubeClient, {version, resource, name}: NativeObject, object: JsonObject, live: JsonObject | undefined): Promise<JsonObject> {
  const collection = {group: nativeGroup, version, resource};
  return live === undefined ? client.create(collection, object, write) : client.update({...collection, name}, object, write);
}
