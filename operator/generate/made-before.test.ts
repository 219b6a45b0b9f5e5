import {afterEach, expect, it} from 'vitest';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type BackgroundWorld, createBackgroundWorld} from '../update-requests/testing/background-world.js';

let world: BackgroundWorld | undefined;
afterEach(() => world?.close());

it('what was made before is looked for on kinds that may be listed alone', async () => {
  world = await createBackgroundWorld({lead: false});
  const {server} = world;
  server.intercept = ({method, path, body}, response) => {
    if (method !== 'POST' || !path.endsWith('/selfsubjectrulesreviews')) return false;
    const status = {incomplete: false, resourceRules: [{verbs: ['list', 'watch'], apiGroups: ['', 'apps'], resources: ['configmaps', 'deployments']}]};
    response.writeHead(201, {'Content-Type': 'application/json'}).end(JSON.stringify({...(body as object), status}));
    return true;
  };
  const looks = () => server.requests.filter(({query}) => query.get('labelSelector') === 'app.kubernetes.io/managed-by=kyverno').map(({path}) => path);
  world.lead(true);
  await eventually(() => looks().length >= 2);
  await world.settled();
  expect(looks().toSorted()).toEqual(['/api/v1/configmaps', '/apis/apps/v1/deployments']);
});
