import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {areServed} from './entry-target.js';
import {ownerReference} from './owner.js';
import {repairedConfiguration} from './repair-configurations.js';
import {staleConfigurations} from './stale-configurations.js';

const target = {service: {namespace: 'kyverno', name: 'kyverno-svc'}, caBundle: 'pem'};
const trusted = Buffer.from('pem').toString('base64');
const labels = {'webhook.kyverno.io/managed-by': 'kyverno'};

function entry({path = '/validate/fail', name = 'kyverno-svc', namespace = 'kyverno', caBundle = trusted, failurePolicy = 'Fail'} = {}): JsonObject {
  return {name: 'e', failurePolicy, clientConfig: {service: {namespace, name, path}, caBundle}};
}

const configuration = (webhooks: JsonObject[], metadata: JsonObject = {}): JsonObject => ({metadata: {name: 'kyverno-x', labels, ...metadata}, webhooks});

describe('a configuration found at start-up', () => {
  it.each([
    ['that leads to us and trusts us is left alone', entry(), undefined],
    ['with a stale authority gets ours', entry({caBundle: 'old'}), entry()],
    ['that leads to a path of another version refuses no more', entry({path: '/no-such-path'}), entry({path: '/no-such-path', failurePolicy: 'Ignore'})],
    ['that leads to a Service of the peer refuses no more', entry({name: 'kyverno-cleanup-controller'}), entry({name: 'kyverno-cleanup-controller', failurePolicy: 'Ignore'})],
    ['that leads elsewhere and fails open is left alone', entry({namespace: 'other', failurePolicy: 'Ignore'}), undefined],
  ])('%s', (_what, live, repaired) => {
    expect(repairedConfiguration(configuration([live]), target)).toEqual(repaired === undefined ? undefined : configuration([repaired]));
  });
});

describe('without a certificate', () => {
  it('no entry refuses: nobody can answer', () => {
    expect(repairedConfiguration(configuration([entry()]), undefined)).toEqual(configuration([entry({failurePolicy: 'Ignore'})]));
    expect(repairedConfiguration(configuration([entry({failurePolicy: 'Ignore'})]), undefined)).toBeUndefined();
  });
});

describe('areServed', () => {
  it.each([
    ['ours', [entry()], true],
    ['nothing', [], true],
    ['an entry of the peer that fails open', [entry({name: 'x', failurePolicy: 'Ignore'})], true],
    ['an entry of the peer that fails closed', [entry(), entry({name: 'x'})], false],
    ['a stale authority', [entry({caBundle: 'old'})], false],
  ])('%s', (_what, webhooks, served) => {
    expect(areServed([configuration(webhooks)], target)).toBe(served);
  });

  it('asks nothing of configurations that are not ours', () => {
    expect(areServed([configuration([entry({name: 'x'})], {labels: {}})], target)).toBe(true);
  });
});

describe('staleConfigurations', () => {
  const names = (...live: JsonObject[]) => staleConfigurations(live, new Set(['kyverno-planned']), 'kyverno').map(({metadata}) => (metadata as JsonObject)['name']);

  it('are those of the peer, and of our label with nothing but our namespace in them', () => {
    const peer = configuration([entry({namespace: 'elsewhere'})], {name: 'kyverno-ttl-validating-webhook-cfg'});
    const old = configuration([entry()], {name: 'kyverno-of-another-version'});
    expect(names(peer, old)).toEqual(['kyverno-ttl-validating-webhook-cfg', 'kyverno-of-another-version']);
  });

  it('are none of ours, of others, or of an installation in another namespace', () => {
    const planned = configuration([entry()], {name: 'kyverno-planned'});
    const foreign = configuration([entry()], {name: 'kyverno-ttl-validating-webhook-cfg', labels: {}});
    const second = configuration([entry({namespace: 'second'})], {name: 'second'});
    expect(names(planned, foreign, second, configuration([], {name: 'empty'}))).toEqual([]);
  });
});

describe('the owner of our configurations', () => {
  const role = {metadata: {name: 'kyverno', uid: 'r'}};
  const namespace = {metadata: {name: 'kyverno', uid: 'n'}};

  it.each([
    ['the ClusterRole', {role, namespace}, 'r'],
    ['the namespace without it', {role: undefined, namespace}, 'n'],
    ['the namespace when it is being deleted', {role: {metadata: {...role.metadata, deletionTimestamp: 'now'}}, namespace}, 'n'],
    ['nobody when nothing is known', {role: undefined, namespace: undefined}, undefined],
  ])('%s', (_what, found, uid) => {
    expect(ownerReference(found)?.['uid']).toBe(uid);
  });
});
