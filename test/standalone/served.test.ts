import {readFileSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {readmePath} from '../guide/readme-blocks.js';
import {loadOffline} from './support/offline.js';

const pattern = {metadata: {name: '*'}};
const condition = {all: [{key: 'a', operator: 'Equals', value: 'b'}]};
const target = {apiVersion: 'v1', kind: 'ConfigMap', name: 'made', namespace: 'shop'};

/** A rule of each sort that the README's table names. */
const rules: Readonly<Record<string, object>> = {
  pattern: {validate: {message: 'm', pattern}},
  anyPattern: {validate: {message: 'm', anyPattern: [pattern]}},
  deny: {validate: {message: 'm', deny: {conditions: condition}}},
  foreach: {validate: {message: 'm', foreach: [{list: 'request.object.spec.containers', pattern: {name: '*'}}]}},
  podSecurity: {validate: {message: 'm', podSecurity: {level: 'baseline', version: 'latest'}}},
  assert: {validate: {message: 'm', assert: {all: [{check: {metadata: {name: 'x'}}}]}}},
  patchStrategicMerge: {mutate: {patchStrategicMerge: {metadata: {labels: {a: 'b'}}}}},
  patchesJson6902: {mutate: {patchesJson6902: '[{"op":"remove","path":"/metadata/labels/a"}]'}},
  'validate.cel': {validate: {message: 'm', cel: {expressions: [{expression: 'true'}]}}},
  'validate.manifests': {
    validate: {message: 'm', manifests: {attestors: [{entries: [{keys: {publicKeys: 'k8s://shop/key'}}]}]}},
  },
  'mutate.targets': {
    mutate: {targets: [target], patchStrategicMerge: {metadata: {labels: {a: 'b'}}}},
  },
  generate: {generate: {...target, synchronize: false, data: {data: {a: 'b'}}}},
  cleanup: {
    cleanup: {removeResources: [{apiVersion: 'v1', kind: 'Pod', selector: {matchLabels: {a: 'b'}}}]},
  },
  verifyImages: {
    verifyImages: [
      {
        imageReferences: ['*'],
        attestors: [{entries: [{keys: {publicKeys: 'k8s://shop/key'}}]}],
        failureAction: 'Enforce',
      },
    ],
  },
};

function policy(rule: object): JsonObject {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name: 'p'},
    spec: {
      background: false,
      rules: [{name: 'r', match: {any: [{resources: {kinds: ['Pod']}}]}, ...rule}],
    },
  } as unknown as JsonObject;
}

const inCluster = 'served in a cluster';
const notServed = 'stored, not served';

/** Names in code marks of the table's rows with that state. */
function named(state: string): string[] {
  const rows = readFileSync(readmePath, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('| ') && line.endsWith(`| ${state} |`));
  return rows
    .flatMap(row => [...row.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!))
    .filter(name => Object.hasOwn(rules, name));
}

describe('what the README says is served', () => {
  it('and what it says is not, are all sorts of rules together', () => {
    const names = new Set(['served', inCluster, notServed].flatMap(named));
    expect([...names].sort()).toEqual(Object.keys(rules).sort());
  });

  it.each(named('served'))('%s is served', name => {
    expect(loadOffline([policy(rules[name]!)]).refused).toEqual([]);
  });

  it.each(named(inCluster))('%s is served where there is a cluster, and refused where there is none', name => {
    expect(loadOffline([policy(rules[name]!)], {background: 'served'}).refused).toEqual([]);
    expect(loadOffline([policy(rules[name]!)]).refused.join('\n')).toContain('is not served by this release');
  });

  it.each(named(notServed))('%s waits for a later release', name => {
    const {refused, later} = loadOffline([policy(rules[name]!)], {background: 'served'});
    expect(refused.join('\n')).toContain('is not served by this release');
    expect(later).toBe(true);
  });
});
