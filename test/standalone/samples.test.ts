import {readFileSync} from 'node:fs';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {readManifests} from '../../adapters/files/manifests.js';
import type {JsonObject} from '../../engine/json/types.js';
import {admissionRequest, engineRequest, type RequestOptions} from '../guide/request.js';
import {createJudgeServer, type JudgeServer} from './support/judge-server.js';
import {judgeOffline, loadOffline} from './support/offline.js';
import {type Served, sample, startServe, temporaryFolder} from './support/serve-process.js';

let server: Served;
let judge: JudgeServer;

beforeAll(async () => {
  const folder = join(await temporaryFolder(), 'policies');
  await mkdir(folder);
  server = await startServe({policies: folder, args: ['--loggingFormat=json', '--v=4']});
  judge = createJudgeServer(server, join(folder, 'policy.yaml'));
});

afterAll(async () => {
  await server?.stop();
});

interface Case {
  readonly name: string;
  readonly files: readonly string[];
  readonly request: RequestOptions;
  /** Text of the refusal, or what the object looks like afterwards; absent: allowed as it is. */
  readonly denied?: string;
  readonly object?: object;
}

function pod(container: object = {}, metadata: object = {}, spec: object = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: 'web', namespace: 'shop', ...metadata},
    spec: {containers: [{name: 'web', image: 'registry.example.com/web:1', ...container}], ...spec},
  } as JsonObject;
}

function deployment(spec: object = {}, metadata: object = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name: 'web', namespace: 'production', ...metadata},
    spec,
  } as JsonObject;
}

const create = (object: JsonObject): RequestOptions => ({operation: 'CREATE', object});
const scale = (from: number, to: number): RequestOptions => ({
  operation: 'UPDATE',
  object: deployment({replicas: to}),
  oldObject: deployment({replicas: from}),
});

const cases: readonly Case[] = [
  {
    name: 'a privileged container is refused',
    files: ['more/forbid-privileged.yaml'],
    request: create(pod({securityContext: {privileged: true}})),
    denied: 'privileged containers are not allowed',
  },
  {
    name: 'a container that says nothing is not privileged',
    files: ['more/forbid-privileged.yaml'],
    request: create(pod()),
  },
  {
    name: "a Deployment's template is judged by the derived rule",
    files: ['more/forbid-privileged.yaml'],
    request: create(deployment({template: {spec: pod({securityContext: {privileged: true}})['spec']}})),
    denied: 'autogen-privileged',
  },
  {
    name: 'an exception frees an object of its own namespace',
    files: ['more/forbid-privileged.yaml', 'more/exception.yaml'],
    request: create(pod({securityContext: {privileged: true}}, {name: 'node-agent-x', namespace: 'default'})),
  },
  {
    name: 'an exception frees nothing elsewhere',
    files: ['more/forbid-privileged.yaml', 'more/exception.yaml'],
    request: create(pod({securityContext: {privileged: true}}, {name: 'node-agent-x'})),
    denied: 'privileged containers are not allowed',
  },
  {
    name: 'an image of another registry is refused',
    files: ['more/approved-registries.yaml'],
    request: create(pod({image: 'docker.io/nginx'})),
    denied: 'images come from registry.example.com or ghcr.io/example',
  },
  {
    name: 'an image of an approved registry is let through',
    files: ['more/approved-registries.yaml'],
    request: create(pod({image: 'ghcr.io/example/web:2'})),
  },
  {
    name: 'a container without a memory limit is refused',
    files: ['more/limit-memory.yaml'],
    request: create(pod()),
    denied: 'a memory limit of at most 2Gi is required',
  },
  {
    name: 'a memory limit in other units is compared by amount',
    files: ['more/limit-memory.yaml'],
    request: create(pod({resources: {limits: {memory: '2048Mi'}}})),
  },
  {
    name: 'a memory limit that is too high is refused',
    files: ['more/limit-memory.yaml'],
    request: create(pod({resources: {limits: {memory: '2049Mi'}}})),
    denied: 'a memory limit of at most 2Gi is required',
  },
  {
    name: 'labels are added',
    files: ['more/team-label.yaml'],
    request: create(deployment()),
    object: deployment({}, {labels: {team: 'production', managed: 'yes'}}),
  },
  {
    name: 'a label under +( ) is added only where there is none, a plain one is set',
    files: ['more/team-label.yaml'],
    request: create(deployment({}, {labels: {team: 'blue', managed: 'no'}})),
    object: deployment({}, {labels: {team: 'blue', managed: 'yes'}}),
  },
  {
    name: 'scaling to nothing is refused, with names from the request in the message',
    files: ['more/keep-replicas.yaml'],
    request: scale(3, 0),
    denied: 'jane may not scale web from 3 to nothing',
  },
  {name: 'scaling down is let through', files: ['more/keep-replicas.yaml'], request: scale(3, 1)},
  {
    name: 'an excluded group may scale to nothing',
    files: ['more/keep-replicas.yaml'],
    request: {...scale(3, 0), userInfo: {username: 'ann', groups: ['operators']}},
  },
  {
    name: 'each container is patched by its name',
    files: ['more/drop-capabilities.yaml'],
    request: create(pod({}, {}, {containers: [{name: 'a'}, {name: 'b', securityContext: {runAsUser: 1}}]})),
    object: pod(
      {},
      {},
      {
        containers: [
          {name: 'a', securityContext: {capabilities: {drop: ['ALL']}}},
          {name: 'b', securityContext: {runAsUser: 1, capabilities: {drop: ['ALL']}}},
        ],
      },
    ),
  },
  {
    name: 'a JSON patch adds at a place in a list',
    files: ['more/first-toleration.yaml'],
    request: create(pod({}, {labels: {workload: 'batch'}}, {tolerations: [{key: 'x', operator: 'Exists'}]})),
    object: pod(
      {},
      {labels: {workload: 'batch'}},
      {
        tolerations: [
          {key: 'batch', operator: 'Exists', effect: 'NoSchedule'},
          {key: 'x', operator: 'Exists'},
        ],
      },
    ),
  },
  {
    name: 'an image tag that can change is pulled each time',
    files: ['policies/pull-latest-always.yaml'],
    request: create(pod({image: 'nginx:latest', imagePullPolicy: 'IfNotPresent'})),
    object: pod({image: 'nginx:latest', imagePullPolicy: 'Always'}),
  },
  {
    name: 'a Pod without the label app is refused',
    files: ['policies/require-app-label.yaml'],
    request: create(pod()),
    denied: 'label app is required',
  },
];

describe('the sample policies, through the standalone server and offline alike', () => {
  it.each(cases)('$name', async ({files, request, denied, object}) => {
    const text = files.map(file => readFileSync(sample(file), 'utf8')).join('\n---\n');
    const {manifests, errors} = readManifests([{path: 'samples', text}]);
    expect(errors).toEqual([]);
    const offline = loadOffline(manifests.map(manifest => manifest.object));
    expect(offline.refused).toEqual([]);
    const wanted = await judgeOffline(offline.engine, engineRequest(request));

    const lines = await judge.load(text);
    expect(lines.filter(line => line.message.startsWith('refused: '))).toEqual([]);
    const answer = await judge.judge(admissionRequest(request));
    const byRule = (a: {rule: string}, b: {rule: string}) => (a.rule < b.rule ? -1 : 1);
    expect([...answer.verdicts].sort(byRule)).toEqual([...wanted.mutation, ...wanted.validation].sort(byRule));
    expect(answer.object).toEqual(wanted.object);

    expect(answer.validation.allowed).toBe(denied === undefined);
    if (denied !== undefined) expect(answer.validation.status?.message).toContain(denied);
    expect(answer.object).toEqual(object ?? request.object);
  });
});
