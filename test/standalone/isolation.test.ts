import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {admissionRequest} from '../guide/request.js';
import {type Served, startServe, temporaryFolder} from './support/serve-process.js';

const pods = 'match: {any: [{resources: {kinds: [Pod], namespaces: [%s]}}]}';
const inNamespace = (namespace: string) => pods.replace('%s', namespace);

const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: need-team, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules:
    - name: team-label
      ${inNamespace('both')}
      validate: {failureAction: Enforce, message: a team is wanted, pattern: {metadata: {labels: {team: "?*"}}}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: no-latest, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules:
    - name: fixed-tag
      ${inNamespace('both')}
      validate: {failureAction: Enforce, message: a fixed tag is wanted, pattern: {spec: {containers: [{image: "!*:latest"}]}}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: variables, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules:
    - name: one
      ${inNamespace('variables')}
      context: [{name: word, variable: {value: from-one}}, {name: secret, variable: {value: only-in-one}}]
      validate: {failureAction: Enforce, message: "one sees {{ word }} and {{ secret }}", deny: {}}
    - name: two
      ${inNamespace('variables')}
      context: [{name: word, variable: {value: from-two}}]
      validate: {failureAction: Enforce, message: "two sees {{ word }}", deny: {}}
    - name: three
      ${inNamespace('variables')}
      context: [{name: borrowed, variable: {jmesPath: secret, default: nothing}}]
      validate: {failureAction: Enforce, message: "three sees {{ borrowed }}", deny: {}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: variables-later, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules:
    - name: four
      ${inNamespace('variables')}
      context: [{name: borrowed, variable: {jmesPath: word, default: nothing}}]
      validate: {failureAction: Enforce, message: "four sees {{ borrowed }}", deny: {}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: loops, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules:
    - name: first
      ${inNamespace('loops')}
      mutate:
        foreach:
          - list: request.object.spec.containers
            context: [{name: seen, variable: {value: "{{ element.name }}"}}]
            patchStrategicMerge: {metadata: {annotations: {"first-{{ elementIndex }}": "{{ seen }}"}}}
    - name: second
      ${inNamespace('loops')}
      context: [{name: left, variable: {jmesPath: "to_string(not_null(seen, element, elementIndex, 'nothing'))", default: nothing}}]
      mutate:
        patchStrategicMerge: {metadata: {annotations: {second: "{{ left }}"}}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: borrower}
spec:
  rules:
    - name: lender
      ${inNamespace('refused')}
      context: [{name: secret, variable: {value: only-here}}]
      validate: {failureAction: Enforce, message: "{{ secret }}", deny: {}}
    - name: borrower
      ${inNamespace('refused')}
      validate: {failureAction: Enforce, message: "{{ secret }}", deny: {}}
`;

let server: Served;

beforeAll(async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'policies.yaml');
  await writeFile(file, policies);
  server = await startServe({policies: file});
});

afterAll(async () => {
  await server?.stop();
});

function pod(namespace: string): JsonObject {
  const containers = ['a', 'b'].map(name => ({name, image: 'example/image:latest'}));
  return {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'web', namespace}, spec: {containers}};
}

async function messageOf(namespace: string): Promise<string | undefined> {
  const answer = await server.review('/validate/fail', admissionRequest({operation: 'CREATE', object: pod(namespace)}));
  expect(answer.allowed).toBe(false);
  return answer.status?.message;
}

describe('two policies that fail', () => {
  it('are told in one message', async () => {
    expect(await messageOf('both')).toBe(
      [
        '\n\nresource Pod/both/web was blocked due to the following policies \n',
        'need-team:',
        "  team-label: 'validation error: a team is wanted. rule team-label failed at path /metadata/labels/'",
        'no-latest:',
        "  fixed-tag: 'validation error: a fixed tag is wanted. rule fixed-tag failed at path /spec/containers/0/image/'",
        '',
      ].join('\n'),
    );
  });
});

describe("a rule's variables", () => {
  it('are seen by no later rule, of its own policy or another', async () => {
    const message = (await messageOf('variables')) ?? '';
    const lines = message.split('\n').filter(line => line.startsWith('  '));
    expect(lines).toEqual([
      '  one: one sees from-one and only-in-one',
      '  three: three sees nothing',
      '  two: two sees from-two',
      '  four: four sees nothing',
    ]);
  });

  it('of a loop, and its element, end with the loop', async () => {
    const request = admissionRequest({operation: 'CREATE', object: pod('loops')});
    const {patch} = await server.review('/mutate/fail', request);
    const text = Buffer.from(patch ?? '', 'base64').toString('utf8');
    const annotations = (JSON.parse(text) as {path: string; value: unknown}[]).find(
      ({path}) => path === '/metadata/annotations',
    );
    expect(annotations?.value).toEqual({'first-0': 'a', 'first-1': 'b', second: 'nothing'});
  });

  it('make a policy that borrows one from another rule refused when it loads', async () => {
    await server.logged(/refused: .*ClusterPolicy\/borrower: .*secret/);
    expect(server.stderr()).not.toContain('loaded ClusterPolicy/borrower');
  });
});
