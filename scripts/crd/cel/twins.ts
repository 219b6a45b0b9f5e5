import {age, type Column, type Definition} from '../definition.js';
import type {SchemaNode} from '../schema.js';

export interface CelKind {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly description: string;
  readonly spec: SchemaNode;
  readonly status: SchemaNode;
  readonly showsReady: boolean;
  readonly selectsMode: boolean;
}

const ready: Column = {name: 'READY', type: 'string', jsonPath: '.status.conditionStatus.ready'};

/** The cluster-wide kind and its namespaced twin, which has the same shape and no v1alpha1. */
export function twins(cel: CelKind): readonly [Definition, Definition] {
  const shared = {
    group: 'policies.kyverno.io',
    categories: ['kyverno'],
    columns: cel.showsReady ? [age, ready] : [age],
    properties: {spec: cel.spec, status: cel.status},
    required: ['spec'],
    ...(cel.selectsMode ? {selectableFields: ['.spec.evaluation.mode']} : {}),
  };
  const versions = [{name: 'v1'}, {name: 'v1beta1', storage: true}] as const;
  return [
    {
      ...shared,
      kind: cel.kind,
      plural: cel.plural,
      scope: 'Cluster',
      shortNames: [cel.shortName],
      versions: [...versions, {name: 'v1alpha1', deprecatedFor: 'v1'}],
      description: cel.description,
    },
    {
      ...shared,
      kind: `Namespaced${cel.kind}`,
      plural: `namespaced${cel.plural}`,
      scope: 'Namespaced',
      shortNames: [`n${cel.shortName}`],
      versions,
      description: `${cel.description} Meets only objects of its own namespace.`,
    },
  ];
}
