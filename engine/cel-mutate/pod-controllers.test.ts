import {describe, expect, it} from 'vitest';
import {type JsonObject, ownPath} from '../json/types.js';
import {requestOf} from '../testing/requests.js';
import {applies, mutatingEngine, mutatingPolicy, patches} from './testing/engine.js';

const template: JsonObject = {metadata: {labels: {app: 'x'}}, spec: {containers: [{name: 'main', image: 'nginx'}]}};
const metadata = {name: 'd', namespace: 'default', labels: {own: 'label'}};
const deployment: JsonObject = {apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: {template}};
const cronJob: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata,
  spec: {jobTemplate: {spec: {template}}},
};

async function templateAfter(policies: readonly JsonObject[], object: JsonObject): Promise<JsonObject> {
  const engine = mutatingEngine(policies);
  const answer = await engine.mutate(requestOf({object}), {phase: 'admission', deadline: Number.POSITIVE_INFINITY});
  expect(answer.denied).toBeUndefined();
  expect(ownPath(answer.object, 'metadata')).toEqual(metadata);
  const path = object === cronJob ? ['spec', 'jobTemplate', 'spec', 'template'] : ['spec', 'template'];
  return ownPath(answer.object, ...path) as JsonObject;
}

const changed: ReadonlyArray<{readonly by: string; readonly mutations: string; readonly spec?: string}> = [
  {
    by: 'a configuration',
    mutations: applies(`Object{
      metadata: Object.metadata{labels: Object.metadata.labels{added: "yes"}},
      spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Always"})}
    }`),
  },
  {
    by: 'one of several configurations',
    mutations: applies(`has(object.spec.hostNetwork) ? Object{} : Object{
      metadata: Object.metadata{labels: {"added": "yes"}},
      spec: Object.spec{containers: [Object.spec.containers{name: "main", imagePullPolicy: "Always"}]}
    }`),
  },
  {
    by: 'a configuration of variables',
    mutations: applies(`Object{
      metadata: Object.metadata{labels: {"added": variables.mark}},
      spec: Object.spec{containers: variables.names.map(n, Object.spec.containers{name: n, imagePullPolicy: "Always"})}
    }`),
    spec: `variables: [{name: mark, expression: "object.metadata.?labels.?app.orValue('') == 'x' ? 'yes' : 'no'"},
      {name: names, expression: "object.spec.containers.map(c, c.name)"}]`,
  },
  {
    by: 'JSON patches',
    mutations: patches(`[JSONPatch{op: "add", path: "/metadata/labels/added", value: "yes"}] +
      object.spec.containers.map(c, JSONPatch{
        op: "add",
        path: "/spec/containers/" + string(object.spec.containers.indexOf(c)) + "/imagePullPolicy",
        value: "Always"
      })`),
  },
];

describe('a policy on Pods changes the template of their controllers', () => {
  const expected = {
    metadata: {labels: {app: 'x', added: 'yes'}},
    spec: {containers: [{name: 'main', image: 'nginx', imagePullPolicy: 'Always'}]},
  };

  it.each(changed)('by $by', async ({mutations, spec = '{}'}) => {
    const policy = mutatingPolicy(mutations, {spec});
    expect(await templateAfter([policy], deployment)).toEqual(expected);
    expect(await templateAfter([policy], cronJob)).toEqual(expected);
  });

  it('under conditions on the template, and exceptions by the name of the controller', async () => {
    const spec = `matchConditions: [{name: c, expression: "object.metadata.labels.app == 'x'"}]`;
    const policy = mutatingPolicy(changed[1]!.mutations, {spec});
    expect(await templateAfter([policy], deployment)).toEqual(expected);
    const exception: JsonObject = {
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'PolicyException',
      metadata: {name: 'e', namespace: 'default'},
      spec: {
        policyRefs: [{name: 'p', kind: 'MutatingPolicy'}],
        matchConditions: [{name: 'c', expression: "object.metadata.name == 'd'"}],
      },
    };
    expect(await templateAfter([policy, exception], deployment)).toEqual(template);
  });

  it.each([
    changed[0]!.mutations,
    patches('[JSONPatch{op: "add", path: "/metadata/labels", value: {"added": "yes"}}]'),
  ])('that has no metadata yet: %s', async mutations => {
    const bare = {...cronJob, spec: {jobTemplate: {spec: {template: {spec: template['spec']!}}}}};
    const policy = mutatingPolicy(mutations);
    const engine = mutatingEngine([policy]);
    const call = {phase: 'admission', deadline: Number.POSITIVE_INFINITY} as const;
    const {object} = await engine.mutate(requestOf({object: bare}), call);
    const path = ['spec', 'jobTemplate', 'spec', 'template', 'metadata'];
    expect(ownPath(object, ...path)).toEqual({labels: {added: 'yes'}});
    const idle = mutatingEngine([mutatingPolicy(applies('Object{}'))]);
    expect((await idle.mutate(requestOf({object: bare}), call)).patch).toEqual([]);
  });

  it('where the patch names the kind itself, once', async () => {
    const expression = `[JSONPatch{op: "add", path: (object.kind == "Pod" ? "/metadata" : "/spec/template/metadata") + "/labels/added", value: "yes"}]`;
    const {metadata: after} = await templateAfter([mutatingPolicy(patches(expression))], deployment);
    expect(after).toEqual({labels: {app: 'x', added: 'yes'}});
  });

  it('where the configuration is made for controllers already, once', async () => {
    const expression = `object.kind == "Pod" ? Object{metadata: Object.metadata{labels: {"added": "yes"}}}
      : Object{spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{
          labels: {"added": object.spec.template.spec.containers[0].name}}}}}`;
    const {metadata: after} = await templateAfter([mutatingPolicy(applies(expression))], deployment);
    expect(after).toEqual({labels: {app: 'x', added: 'main'}});
  });

  it('not where the policy says so', async () => {
    const policy = mutatingPolicy(changed[0]!.mutations, {
      spec: 'autogen: {podControllers: {controllers: [cronjobs]}}',
    });
    expect(await templateAfter([policy], deployment)).toEqual(template);
  });
});
