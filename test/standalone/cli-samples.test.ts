import {readdirSync, readFileSync} from 'node:fs';
import {rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {readManifests} from '../../adapters/files/manifests.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {ensureBuilt} from '../e2e/support/build.js';
import {engineRequest} from '../guide/request.js';
import {type Applied, apply} from './support/apply-command.js';
import {judgeOffline, loadOffline} from './support/offline.js';
import {repository, temporaryFolder} from './support/serve-process.js';

// test/standalone/samples.test.ts proves of the same policies that the server judges as the engine does offline.

const folders = ['policies', 'more'].map(name => join(repository, 'docs/samples', name));

function pod(name: string, container: object = {}, metadata: object = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name, namespace: 'default', ...metadata},
    spec: {containers: [{name: 'web', image: 'registry.example.com/web:1', ...container}]},
  } as JsonObject;
}

const limited = {resources: {limits: {memory: '2048Mi'}}};
const privileged = {securityContext: {privileged: true}};
const objects: readonly JsonObject[] = [
  pod('good', limited, {labels: {app: 'x'}}),
  pod('no-label', limited),
  pod('no-limit', {}, {labels: {app: 'x'}}),
  pod('too-much', {resources: {limits: {memory: '3Gi'}}}),
  pod('privileged', privileged),
  pod('node-agent-x', privileged),
  pod('elsewhere', {image: 'docker.io/nginx'}),
  pod('latest', {image: 'registry.example.com/web:latest', imagePullPolicy: 'IfNotPresent'}),
  pod('batch', limited, {labels: {workload: 'batch'}}),
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name: 'derived', namespace: 'default', labels: {team: 'blue'}},
    spec: {template: {metadata: {labels: {app: 'x'}}, spec: pod('x', privileged)['spec']!}},
  },
];

let folder: string;
let applied: Applied;

beforeAll(async () => {
  await ensureBuilt();
  folder = await temporaryFolder();
  const resource = join(folder, 'objects.json');
  await writeFile(resource, objects.map(object => `---\n${JSON.stringify(object)}\n`).join(''));
  applied = await apply({folder, policies: folders, resources: [resource]});
});

afterAll(() => rm(folder, {recursive: true, force: true}));

describe('the sample policies through the command', () => {
  const files = folders.flatMap(path => readdirSync(path).map(name => join(path, name)));
  const {manifests} = readManifests(files.map(path => ({path, text: readFileSync(path, 'utf8')})));
  const offline = loadOffline(manifests.map(({object}) => object));

  it('are all served', () => expect(offline.refused).toEqual([]));

  for (const object of objects) {
    const name = String(ownPath(object, 'metadata', 'name'));
    it(`${name}: verdicts, messages and changes as offline`, async () => {
      const wanted = await judgeOffline(offline.engine, engineRequest({operation: 'CREATE', object}));
      const said = applied.results.filter(({resource}) => resource.endsWith(`/${name}`));
      const lines = [...wanted.mutation, ...wanted.validation].map(
        ({rule, status, message}) => `${rule} ${status} ${message}`,
      );
      expect(said.map(({rule, status, message}) => `${rule} ${status} ${message}`).sort()).toEqual(lines.sort());
      const changed = wanted.mutation.some(({status}) => status === 'pass');
      if (changed) expect(applied.objects).toContainEqual(wanted.object);
    });
  }

  it('show every verdict, and end with the status of failures', () => {
    const statuses = new Set(applied.results.map(({status}) => status));
    expect([...statuses].sort()).toEqual(['fail', 'pass', 'skip']);
    expect(applied.exit).toBe(1);
  });
});
