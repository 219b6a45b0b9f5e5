import type {Thing} from './things.js';

/** Where a seed's objects are: triggers, sources and what is made, each in a namespace of its own. */
export interface Places {
  readonly prefix: string;
  readonly triggers: string;
  readonly sources: string;
  readonly made: string;
}

export function placesOf(seed: number): Places {
  const prefix = `p${seed}`;
  return {prefix, triggers: `${prefix}-in`, sources: `${prefix}-base`, made: `${prefix}-out`};
}

type MakePolicy = (places: Places, variant: number) => Thing;

/** Whatever these make follows from the state of the cluster alone: how it came about must not matter. */
export const policies: Readonly<Record<string, MakePolicy>> = {
  data: (places, variant) =>
    classic(places, 'data', [
      generating(places, 'first', {team: 'red'}, made(places, `first-${trigger}`, {data: {data: {variant: `${variant}`, zone: "{{ request.object.metadata.labels.zone || 'none' }}"}}})),
      // A rule that comes and goes.
      ...(variant === 2 ? [generating(places, 'second', {team: 'red'}, made(places, `second-${trigger}`, {data: {data: {level: '{{ request.object.data.level }}'}}}))] : []),
    ]),
  clone: (places, variant) =>
    classic(
      places,
      'clone',
      [generating(places, 'copy', {copies: 'yes'}, {apiVersion: 'v1', kind: 'Secret', name: `copied-${trigger}`, namespace: places.made, clone: {name: 'origin', namespace: places.sources}})],
      variant,
    ),
  list: (places, variant) =>
    classic(
      places,
      'list',
      [generating(places, 'copies', {team: 'red'}, {namespace: places.made, cloneList: {namespace: places.sources, kinds: ['v1/ConfigMap'], selector: {matchLabels: {share: 'yes'}}}})],
      variant,
    ),
  each: (places, variant) =>
    classic(places, 'each', [
      generating(places, 'parts', {team: 'blue'}, {
        foreach: [
          {
            list: "request.object.data.parts || '' | split(@, ',')",
            preconditions: {all: [{key: '{{ element }}', operator: 'NotEquals', value: ''}]},
            ...made(places, `part-${trigger}-{{ element }}`, {data: {data: {variant: `${variant}`}}}),
          },
        ],
      }),
    ]),
  cel: (places, variant) => ({
    apiVersion: 'policies.kyverno.io/v1beta1',
    kind: 'GeneratingPolicy',
    metadata: {name: `${places.prefix}-cel`},
    spec: {
      evaluation: {synchronize: {enabled: true}, generateExisting: {enabled: true}},
      matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps']}]},
      matchConditions: [{name: 'ours', expression: `object.metadata.namespace == '${places.triggers}' && object.metadata.?labels.?team.orValue('') == 'blue'`}],
      generate: [
        {
          template: {
            interpolate: 'cel',
            value: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cel-(( object.metadata.name )), namespace: ${places.made}}\ndata: {variant: "${variant}", zone: (( object.metadata.?labels.?zone.orValue('none') ))}\n`,
          },
        },
      ],
    },
  }),
};

const trigger = '{{ request.object.metadata.name }}';

function classic({prefix}: Places, name: string, rules: readonly object[], variant?: number): Thing {
  const annotations = variant === undefined ? {} : {annotations: {variant: `${variant}`}};
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: `${prefix}-${name}`, ...annotations}, spec: {failurePolicy: 'Ignore', rules}};
}

function generating({triggers}: Places, name: string, matchLabels: object, generate: object): object {
  const match = {any: [{resources: {kinds: ['ConfigMap'], namespaces: [triggers], selector: {matchLabels}}}]};
  return {name, match, generate: {synchronize: true, generateExisting: true, ...generate}};
}

function made({made: namespace}: Places, name: string, data: object): object {
  return {apiVersion: 'v1', kind: 'ConfigMap', name, namespace, ...data};
}
