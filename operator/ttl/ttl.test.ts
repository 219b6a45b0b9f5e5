import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import {fail} from '../../adapters/kube/testing/api-server.js';
import {eventually, eventuallyBy, turns} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {createTtlFeature} from './ttl-feature.js';

const hour = 3_600_000;

describe('the time to live of objects', () => {
  let test: TestCore;

  beforeEach(async () => {
    test = await createTestCore({flags: ['--ttlReconciliationInterval=200ms']});
  });

  afterEach(() => test.close());

  function object(kind: string, name: string, ttl: string, created = Date.now()): JsonObject {
    const metadata = {
      name,
      namespace: 'shop',
      labels: {'cleanup.kyverno.io/ttl': ttl},
      annotations: {'cleanup.kyverno.io/propagation-policy': 'Foreground'},
      creationTimestamp: new Date(created).toISOString(),
    };
    return {apiVersion: 'v1', kind, metadata};
  }

  const names = (collection: string) => test.server.objects(collection).map(item => ownPath(item, 'metadata', 'name'));

  it('ends when it says so: at once for what is over, in time for the rest, never for what cannot be read', async () => {
    test.server.put('api/v1/pods', object('Pod', 'over', '1m', Date.now() - 120_000));
    test.server.put('api/v1/pods', object('Pod', 'soon', '2s'));
    test.server.put('api/v1/pods', object('Pod', 'later', '1h'));
    test.server.put('api/v1/pods', object('Pod', 'unreadable', '10ay'));
    test.server.put('api/v1/pods', object('Pod', 'past', '2020-01-01'));
    await test.run(createTtlFeature(test.core));
    await eventually(() => names('api/v1/pods').length === 2);
    expect(names('api/v1/pods')).toEqual(['later', 'unreadable']);
    const deletion = test.server.requests.find(({method}) => method === 'DELETE');
    expect(ownPath(deletion!.body, 'propagationPolicy')).toBe('Foreground');
  });

  it('is found on kinds that nobody had labelled before, and again under the same name', async () => {
    await test.run(createTtlFeature(test.core));
    for (let round = 0; round < 2; round += 1) {
      test.server.put('api/v1/services', object('Service', 'svc', '10ms', Date.now() - 1_000));
      await eventually(() => names('api/v1/services').length === 0);
    }
  });

  it('is not looked for on kinds that may not be listed, until they may', async () => {
    const granted = ['services'];
    test.server.intercept = ({method, path, body}, response) => {
      if (method !== 'POST' || !path.endsWith('/selfsubjectrulesreviews')) return false;
      const resourceRules = [{verbs: ['list', 'watch', 'delete'], apiGroups: [''], resources: [...granted]}];
      response.writeHead(201, {'Content-Type': 'application/json'}).end(JSON.stringify({...(body as object), status: {incomplete: false, resourceRules}}));
      return true;
    };
    test.server.put('api/v1/services', object('Service', 'svc', '1m', Date.now() - 120_000));
    test.server.put('api/v1/secrets', object('Secret', 'token', '1m', Date.now() - 120_000));
    await test.run(createTtlFeature(test.core));
    await eventually(() => names('api/v1/services').length === 0);
    const asked = () => test.server.requests.filter(({method, path}) => method === 'GET' && path.includes('/secrets')).length;
    expect(names('api/v1/secrets')).toEqual(['token']);
    expect(asked()).toBe(0);
    granted.push('secrets');
    await eventually(() => names('api/v1/secrets').length === 0);
  });
});

describe('the time to live of an object that changes', () => {
  let clock: ManualClock;
  let test: TestCore;

  beforeEach(async () => {
    clock = createManualClock();
    test = await createTestCore({clock});
  });

  afterEach(() => test.close());

  function pod(uid: string, propagation: string, ttl = '1h'): JsonObject {
    const metadata = {
      name: 'a',
      namespace: 'shop',
      uid,
      labels: {'cleanup.kyverno.io/ttl': ttl},
      annotations: {'cleanup.kyverno.io/propagation-policy': propagation},
      creationTimestamp: new Date(clock.now()).toISOString(),
    };
    return {apiVersion: 'v1', kind: 'Pod', metadata};
  }

  const pods = () => test.server.objects('api/v1/pods');
  const isWatched = () => test.server.requests.some(({path, query}) => path === '/api/v1/pods' && query.get('watch') !== null);
  const deletions = () => test.server.requests.filter(({method}) => method === 'DELETE').map(({body}) => body);

  it('is over as it was said last', async () => {
    // The first try fails, so that there is one after the news.
    test.server.intercept = ({method, body}, response) =>
      method === 'DELETE' && ownPath(body, 'propagationPolicy') !== 'Orphan' && fail(response, {code: 403, reason: 'Forbidden'});
    test.server.put('api/v1/pods', pod('one', 'Foreground', '0s'));
    await test.run(createTtlFeature(test.core));
    await eventually(() => deletions().length > 0);
    test.server.put('api/v1/pods', pod('one', 'Orphan', '0s'));
    await eventuallyBy(clock, 100, () => pods().length === 0);
  });

  it('begins anew for one that is made under its name while it goes', async () => {
    test.server.put('api/v1/pods', pod('one', 'Background'));
    await test.run(createTtlFeature(test.core));
    await eventually(isWatched);
    test.server.intercept = ({method}, response) => {
      if (method !== 'DELETE') return false;
      test.server.intercept = undefined;
      test.server.remove('api/v1/pods', 'shop/a');
      test.server.put('api/v1/pods', pod('two', 'Background'));
      // The answer comes after the news of the other one.
      void turns(100).then(() => response.writeHead(200, {'Content-Type': 'application/json'}).end('{}'));
      return true;
    };
    clock.advance(hour);
    await eventuallyBy(clock, 1_000, () => pods().some(object => ownPath(object, 'metadata', 'uid') === 'two'));
    await turns(150);
    clock.advance(hour);
    await eventuallyBy(clock, 60_000, () => pods().length === 0);
    expect(deletions().map(body => ownPath(body, 'preconditions', 'uid'))).toEqual(['one', 'two']);
  });
});
