import {celKinds, celPolicyGroup} from '../../engine/cel-policies/load/kinds.js';

/** A kind of policy written in CEL, as it is mirrored. */
export interface CelResource {
  readonly kind: string;
  /** Registration key in the manager. */
  readonly key: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

export const celResources: readonly CelResource[] = celKinds.map(kind => {
  const resource = `${kind.slice(0, -1).toLowerCase()}ies`;
  return {kind, resource, key: `${resource}.${celPolicyGroup}`, namespaced: kind.startsWith('Namespaced')};
});

const keys = new Map(celResources.map(({kind, key}) => [kind, key]));

/** Registration key of a kind; throws for a kind that is none of ours. */
export function celResourceKey(kind: string): string {
  const key = keys.get(kind);
  if (key === undefined) throw new Error(`${kind} is no kind of CEL policies`);
  return key;
}

export const celExceptionKey = `policyexceptions.${celPolicyGroup}`;
export const celStorageVersion = 'v1beta1';
