import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {type Served, startServe, temporaryFolder} from './support/serve-process.js';

let folder: string;
let server: Served | undefined;

beforeEach(async () => {
  folder = join(await temporaryFolder(), 'policies');
  await mkdir(folder);
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const pods = 'resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]';

/** A ValidatingPolicy that wants a label. */
function wantsLabel(label: string, {name = label, kind = 'ValidatingPolicy', namespace = ''} = {}): string {
  return `apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {name: ${name}${namespace === '' ? '' : `, namespace: ${namespace}`}}
spec:
  matchConstraints: {${pods}}
  validations:
    - expression: "'${label}' in object.metadata.?labels.orValue({})"
      messageExpression: "object.metadata.name + ' has no label ${label}'"
`;
}

const setsLabel = `apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: team-label}
spec:
  matchConstraints: {${pods}}
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration:
        expression: "Object{metadata: Object.metadata{labels: {'team': 'red'}}}"
`;

const exception = `apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: free, namespace: shop}
spec:
  policyRefs: [{name: team, kind: ValidatingPolicy}]
  matchConditions: [{name: free, expression: "object.metadata.name == 'free'"}]
`;

function pod(name: string, labels: Record<string, string> = {}, namespace = 'shop') {
  return {
    uid: name,
    kind: {group: '', version: 'v1', kind: 'Pod'},
    resource: {group: '', version: 'v1', resource: 'pods'},
    name,
    namespace,
    operation: 'CREATE',
    userInfo: {username: 'jane'},
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {name, namespace, labels},
      spec: {containers: [{name: 'web', image: 'web:1'}]},
    },
    oldObject: null,
  };
}

async function served(files: Readonly<Record<string, string>>): Promise<Served> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  server = await startServe({policies: folder});
  return server;
}

describe('policies written in CEL, served off a folder', () => {
  it('judge requests on the paths of their kinds', async () => {
    const {review, stdout} = await served({
      'team.yaml': wantsLabel('team'),
      'app.yaml': wantsLabel('app'),
      'own.yaml': wantsLabel('own', {kind: 'NamespacedValidatingPolicy', namespace: 'shop'}),
    });
    expect(stdout()).toContain('/vpol/app/team?timeout=10s');
    expect(stdout()).toContain('/nvpol/own?timeout=10s');
    expect(await review('/vpol/app/team', pod('web'))).toMatchObject({
      allowed: false,
      status: {message: 'Policy app failed: web has no label app; Policy team failed: web has no label team'},
    });
    expect(await review('/vpol/team', pod('web', {team: 'red'}))).toMatchObject({allowed: true});
    expect(await review('/nvpol/own', pod('web'))).toMatchObject({allowed: false});
    expect(await review('/nvpol/own', pod('web', {}, 'other'))).toMatchObject({allowed: true});
    expect(await review('/validate/fail', pod('web'))).toMatchObject({allowed: true});
  });

  it('change requests, and are changed by exceptions', async () => {
    const {review} = await served({'all.yaml': [wantsLabel('team'), setsLabel, exception].join('---\n')});
    const {patch = ''} = await review('/mpol/team-label', pod('web'));
    expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
      {op: 'add', path: '/metadata/labels/team', value: 'red'},
    ]);
    expect(await review('/vpol/team', pod('web'))).toMatchObject({allowed: false});
    expect(await review('/vpol/team', pod('free'))).toMatchObject({allowed: true});
  });

  it('are read anew when a file changes; broken ones and second ones are refused with the reason', async () => {
    const {review, logged, stderr} = await served({'team.yaml': wantsLabel('team')});
    expect(await review('/vpol/team', pod('web', {app: 'a'}))).toMatchObject({allowed: false});
    const from = stderr().length;
    await writeFile(join(folder, 'team.yaml'), wantsLabel('app', {name: 'team'}));
    await logged('1 loaded, 0 refused', from);
    expect(await review('/vpol/team', pod('web', {app: 'a'}))).toMatchObject({allowed: true});
    await writeFile(join(folder, 'zz-again.yaml'), wantsLabel('team'));
    await logged(/ValidatingPolicy\/team is in \S*team\.yaml:1 already/, from);
    await writeFile(join(folder, 'broken.yaml'), wantsLabel('x', {name: 'broken'}).replace('in object', 'in objekt'));
    await logged("undeclared reference to 'objekt'", from);
    expect(await review('/vpol/team', pod('web', {app: 'a'}))).toMatchObject({allowed: true});
  });

  it('are judged as they are written', async () => {
    const {review} = await served({});
    const object = {
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'ValidatingPolicy',
      metadata: {name: 'p'},
      spec: {
        matchConstraints: {
          resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods']}],
        },
        validations: [{expression: 'object.metadata.name'}],
      },
    };
    const request = {
      ...pod('p'),
      kind: {group: 'policies.kyverno.io', version: 'v1', kind: 'ValidatingPolicy'},
      resource: {group: 'policies.kyverno.io', version: 'v1', resource: 'validatingpolicies'},
      object,
    };
    expect(await review('/policyvalidate', request)).toMatchObject({
      allowed: false,
      status: {message: expect.stringContaining('output is expected to be of type bool')},
    });
  });
});
