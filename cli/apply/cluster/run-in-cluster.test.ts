import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {startTestApiServer, type TestApiServer} from '../../../adapters/kube/testing/api-server.js';
import type {JsonObject} from '../../../engine/json/types.js';
import {messageOf} from '../../files/file-error.js';
import {collectStreams} from '../../output/testing/collected-streams.js';
import type {ApplyFlags} from '../flags.js';
import {runApply} from '../run-apply.js';
import {openCluster} from './open-cluster.js';

let server: TestApiServer;
let folder = '';

const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: team-label}
spec:
  rules:
  - name: has-team
    match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {strict: "yes"}}}}]}
    validate:
      message: every Pod names its team
      pattern: {metadata: {labels: {team: "?*"}}}
`;

const celPolicy = `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: team-of-namespace}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: ["*"], operations: [CREATE], resources: [pods]}]
  validations:
  - expression: "namespaceObject.metadata.?labels[?'strict'] != optional.of('yes') || has(object.metadata.labels.team)"
    message: every Pod names its team
`;

const pod = (namespace: string, name: string, labels: JsonObject): JsonObject => ({
  metadata: {namespace, name, labels},
  spec: {},
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  server = await startTestApiServer();
  server.intercept = ({path}, response) => {
    const answers: Record<string, JsonObject> = {
      '/api': {kind: 'APIVersions', versions: ['v1']},
      '/apis': {kind: 'APIGroupList', groups: []},
      '/api/v1': {
        kind: 'APIResourceList',
        groupVersion: 'v1',
        resources: [
          {name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list', 'get']},
          {name: 'namespaces', kind: 'Namespace', namespaced: false, verbs: ['list', 'get']},
        ],
      },
    };
    if (!Object.hasOwn(answers, path)) return false;
    response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(answers[path]));
    return true;
  };
  for (const name of ['shop', 'lab'])
    server.put('api/v1/namespaces', {metadata: {name, labels: name === 'shop' ? {strict: 'yes'} : {}}});
  for (let index = 0; index < 5; index++)
    server.put('api/v1/pods', pod('shop', `web-${index}`, index === 3 ? {} : {team: 'blue'}));
  server.put('api/v1/pods', pod('lab', 'trial', {}));
  await writeFile(join(folder, 'policy.yaml'), policy);
  await writeFile(join(folder, 'cel.yaml'), celPolicy);
  await writeFile(join(folder, 'config'), server.kubeConfig.exportConfig());
});

afterAll(async () => {
  await server.close();
  await rm(folder, {recursive: true, force: true});
});

async function apply(flags: ApplyFlags, file = 'policy.yaml') {
  const streams = collectStreams();
  const all = {cluster: true, kubeconfig: join(folder, 'config'), ...flags};
  try {
    return {exit: await runApply([join(folder, file)], all, {streams, openCluster}), ...streams.written};
  } catch (error) {
    return {exit: 1, out: streams.written.out, err: messageOf(error)};
  }
}

describe('apply --cluster', () => {
  it('lists in pages, asks the cluster for namespaces and judges what is there', async () => {
    server.requests.length = 0;
    const {exit, out} = await apply({batchSize: 2, concurrent: 4});
    expect(out).toContain('to 6 resource(s)...');
    expect(out).toContain('policy team-label -> resource shop/Pod/web-3 failed:');
    expect(out).toContain('pass: 4, fail: 1, warn: 0, error: 0, skip: 0 ');
    expect(exit).toBe(1);
    const pages = server.requests.filter(({path}) => path === '/api/v1/pods');
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.every(({query}) => query.get('limit') === '2')).toBe(true);
  });

  it('lists what CEL policies select, and asks the cluster for its Namespaces', async () => {
    const {out} = await apply({}, 'cel.yaml');
    expect(out).toContain('policy team-of-namespace -> resource shop/Pod/web-3 failed:');
    expect(out).toContain('pass: 5, fail: 1, warn: 0, error: 0, skip: 0 ');
  });

  it('takes only a namespace', async () => {
    const {out} = await apply({namespace: 'lab'});
    expect(out).toContain('to 1 resource(s)...');
    expect(out).toContain('pass: 0, fail: 0, warn: 0, error: 0, skip: 0 ');
  });

  it('takes resource arguments for names', async () => {
    expect((await apply({resource: ['files/web-3.yaml', 'web-1']})).out).toContain(
      'pass: 1, fail: 1, warn: 0, error: 0, skip: 0 ',
    );
    const {exit, err} = await apply({resource: ['absent']});
    expect(err).toContain('absent: no such object in the cluster');
    expect(exit).toBe(1);
  });

  it('says when there is no such context', async () => {
    const {exit, err} = await apply({context: 'nowhere'});
    expect(err).toContain('failed to connect to the cluster');
    expect(exit).toBe(1);
  });
});
