import {describe, expect, it} from 'vitest';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {covers} from './compare.js';

const pod = (fields: JsonObject): JsonObject => ({apiVersion: 'v1', kind: 'Pod', metadata: {name: 'a'}, spec: fields});
const workload = (resources: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {name: 'a'},
  spec: {template: {spec: {containers: [{name: 'app', resources}]}}},
});
const quota = (hard: JsonObject): JsonObject => ({apiVersion: 'v1', kind: 'ResourceQuota', metadata: {name: 'a'}, spec: {hard}});
const limits = (limit: JsonObject): JsonObject => ({apiVersion: 'v1', kind: 'LimitRange', metadata: {name: 'a'}, spec: {limits: [{type: 'Container', ...limit}]}});
const text = (value: Json): JsonObject => ({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a'}, data: {cpu: value}});
const custom = (value: Json): JsonObject => ({apiVersion: 'example.com/v1', kind: 'Thing', metadata: {name: 'a'}, spec: {resources: {requests: {cpu: value}}}});

describe('quantities are compared by value', () => {
  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['a number of things in a quota', quota({pods: 10}), quota({pods: '10'}), true],
    ['another number', quota({pods: 10}), quota({pods: '11'}), false],
    ['parts of a core', quota({'requests.cpu': '0.5'}), quota({'requests.cpu': '500m'}), true],
    ['requests of a container', workload({requests: {memory: '1024Mi'}}), workload({requests: {memory: '1Gi'}}), true],
    ['other requests', workload({requests: {memory: '1000Mi'}}), workload({requests: {memory: '1Gi'}}), false],
    ['extended resources', workload({limits: {'example.com/gpu': 2}}), workload({limits: {'example.com/gpu': '2'}}), true],
    ['a default limit', limits({default: {cpu: 0.25}}), limits({default: {cpu: '250m'}}), true],
    ['the type in a LimitRange', {...limits({}), spec: {limits: [{type: '1'}]}}, {...limits({}), spec: {limits: [{type: '1.0'}]}}, false],
    ['the size of a volume', pod({volumes: [{name: 'a', emptyDir: {sizeLimit: '0.5Gi'}}]}), pod({volumes: [{name: 'a', emptyDir: {sizeLimit: '512Mi'}}]}), true],
    ['text in an environment', pod({containers: [{name: 'a', env: [{name: 'X', value: '0.5'}]}]}), pod({containers: [{name: 'a', env: [{name: 'X', value: '500m'}]}]}), false],
    ['text in a ConfigMap', text('0.5'), text('500m'), false],
    ['a custom resource, stored as it was written', custom('0.5'), custom('500m'), false],
    ['an annotation of a quota', {...quota({}), metadata: {annotations: {hard: '0.5'}}}, {...quota({}), metadata: {annotations: {hard: '500m'}}}, false],
  ])('%s', (_name, wanted, live, expected) => {
    expect(covers(live, wanted)).toBe(expected);
  });
});

describe('what is false or 0 may be missing', () => {
  const held = (fields: JsonObject, manager = 'kyverno-generate', operation = 'Apply'): JsonObject => ({
    ...pod({}),
    metadata: {name: 'a', managedFields: [{manager, operation, fieldsV1: fields}]},
  });
  const recorded = {'f:spec': {'f:hostNetwork': {}, 'f:priority': {}}};

  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['where we have applied it and nobody took it out', pod({hostNetwork: false}), held(recorded), true],
    ['a number too', pod({priority: 0}), held(recorded), true],
    ['not what says something', pod({hostNetwork: true}), held(recorded), false],
    ['not where somebody took it out', pod({automountServiceAccountToken: false}), held(recorded), false],
    ['not where another has applied it', pod({hostNetwork: false}), held(recorded, 'kubectl'), false],
    ['not where the server has no record', pod({hostNetwork: false}), pod({}), false],
    ['not where it is otherwise', pod({hostNetwork: false}), {...held(recorded), spec: {hostNetwork: true}}, false],
  ])('%s', (_name, wanted, live, expected) => {
    expect(covers(live, wanted)).toBe(expected);
  });

  it.each<[string, JsonObject, boolean]>([
    ['of a list held item by item', {'k:{"name":"app"}': {'.': {}, 'f:name': {}, 'f:stdin': {}}}, true],
    ['of another item', {'k:{"name":"side"}': {'.': {}, 'f:name': {}, 'f:stdin': {}}}, false],
    ['of a list held as a whole', {}, true],
    ['of an item without it', {'k:{"name":"app"}': {'.': {}, 'f:name': {}}}, false],
    ['of a record that cannot be read', {'k:{': {'f:stdin': {}}}, false],
  ])('in an item %s', (_name, containers, expected) => {
    const live = {...held({'f:spec': {'f:containers': containers}}), spec: {containers: [{name: 'app'}]}};
    expect(covers(live, pod({containers: [{name: 'app', stdin: false}]}))).toBe(expected);
  });
});
