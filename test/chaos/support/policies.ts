import type {Thing} from '../../e2e/support/policies.js';

/** Objects of this namespace need a team and get a stamp. */
export const namespace = 'chaos';

const match = {any: [{resources: {kinds: ['ConfigMap'], namespaces: [namespace], operations: ['CREATE']}}]};

/** In force through all of the suite. */
export const standing: readonly Thing[] = [
  {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name: 'need-team'},
    spec: {
      background: false,
      rules: [
        {
          name: 'team',
          match,
          validate: {
            failureAction: 'Enforce',
            message: 'a team is wanted',
            pattern: {metadata: {labels: {team: '?*'}}},
          },
        },
      ],
    },
  },
  {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name: 'stamp'},
    spec: {
      background: false,
      rules: [{name: 'stamp', match, mutate: {patchStrategicMerge: {metadata: {labels: {stamped: 'yes'}}}}}],
    },
  },
];

/** A policy that denies nothing of the suite; `revision` makes another generation. */
export function passing(name: string, revision: number, place?: string): Thing {
  const pattern = {metadata: {annotations: {revision: `!${revision}`}}};
  const resources = {kinds: ['ConfigMap'], names: [`only-for-${name}`]};
  return {
    apiVersion: 'kyverno.io/v1',
    kind: place === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: {name, ...(place === undefined ? {} : {namespace: place})},
    spec: {
      background: false,
      rules: [
        {
          name: 'revision',
          match: {any: [{resources}]},
          validate: {failureAction: 'Audit', message: `revision ${revision}`, pattern},
        },
      ],
    },
  };
}

/** Rules that do not load, each for another reason. */
export const brokenRules: readonly unknown[] = [
  {name: 'no-match', validate: {message: 'x', deny: {}}},
  {name: 'no-body', match},
  {name: 'query', match, validate: {message: '{{ request.object.[ }}', deny: {}}},
  {name: 'unknown-variable', match, validate: {message: '{{ nobody.knows }}', deny: {}}},
  {name: 'two-bodies', match, validate: {message: 'x', deny: {}}, mutate: {patchStrategicMerge: {}}},
  {name: 'patch', match, mutate: {patchesJson6902: '- op: nothing\n  path: a'}},
  {
    name: 'operator',
    match,
    validate: {message: 'x', deny: {conditions: {any: [{key: 'a', operator: 'Resembles', value: 'a'}]}}},
  },
];
