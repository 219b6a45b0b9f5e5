import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {createTtlFeature} from './ttl-feature.js';

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
