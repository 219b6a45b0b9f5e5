import {describe, expect, it} from 'vitest';
import {rewriteApplyConfiguration, rewriteExpression, rewriteJsonPatch, rewriteMessage} from './rewrite-expression.js';

const template = ['spec', 'template'];
const jobTemplate = ['spec', 'jobTemplate', 'spec', 'template'];

describe('expressions on Pods become expressions on templates', () => {
  it.each<[from: string, to: string]>([
    ['object.spec.containers', 'object.spec.template.spec.containers'],
    ['oldObject.spec == object.spec', 'oldObject.spec.template.spec == object.spec.template.spec'],
    ['has(object.spec)', 'has(object.spec.template.spec)'],
    ['request.object.spec.x', 'request.object.spec.template.spec.x'],
    ['object.metadata.labels', 'object.spec.template.metadata.labels'],
    ['object.?spec.?hostPID.orValue(false)', 'object.?spec.?template.?spec.?hostPID.orValue(false)'],
    ['object["spec"].hostPID', 'object.spec.template["spec"].hostPID'],
    ['object\n  .spec\n  .hostPID', 'object.spec.template\n  .spec\n  .hostPID'],
    ['object.metadata.name', 'object.metadata.name'],
    ['object.metadata.namespace', 'object.metadata.namespace'],
    ['object.metadata.namespaces', 'object.spec.template.metadata.namespaces'],
    ['namespaceObject.metadata.labels', 'namespaceObject.metadata.labels'],
    ['my.object.spec', 'my.object.spec'],
    ['object.kind', 'object.kind'],
    ['\'object.spec\' + "object.metadata"', '\'object.spec\' + "object.metadata"'],
    ["r'\\' + string(object.spec)", "r'\\' + string(object.spec.template.spec)"],
    ["'''it's object.spec''' + object.spec", "'''it's object.spec''' + object.spec.template.spec"],
    ['true // object.spec\n&& object.spec.x', 'true // object.spec\n&& object.spec.template.spec.x'],
  ])('%s', (from, to) => {
    expect(rewriteExpression(from, template)).toBe(to);
  });

  it('of CronJobs, one template deeper', () => {
    expect(rewriteExpression('object.spec.x', jobTemplate)).toBe('object.spec.jobTemplate.spec.template.spec.x');
  });

  it('unfinished text is left as it is', () => {
    expect(rewriteExpression("object.spec + 'open", template)).toBe("object.spec.template.spec + 'open");
  });
});

describe('objects that are applied', () => {
  it.each<[from: string, to: string]>([
    [
      'Object{spec: Object.spec{hostPID: object.spec.hostPID}}',
      'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{hostPID: object.spec.template.spec.hostPID}}}}',
    ],
    [
      "Object{metadata: Object.metadata{labels: {'a': '}'}}}",
      "Object{spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{labels: {'a': '}'}}}}}",
    ],
    [
      'has(object.spec.x) ? Object{} : Object{spec: Object.spec{x: 1}}',
      'has(object.spec.template.spec.x) ? Object{} : Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{x: 1}}}}',
    ],
  ])('%s', (from, to) => {
    expect(rewriteApplyConfiguration(from, template)).toBe(to);
  });
});

it('patches lead into the template', () => {
  expect(
    rewriteJsonPatch(
      '[JSONPatch{op: "add", path: "/spec/x" + jsonpatch.escapeKey("a/b"), value: "/data"}]',
      jobTemplate,
    ),
  ).toBe(
    '[JSONPatch{op: "add", path: "/spec/jobTemplate/spec/template/spec/x" + jsonpatch.escapeKey("a/b"), value: "/data"}]',
  );
  expect(rewriteJsonPatch('"/metadata/labels/a"', template)).toBe('"/spec/template/metadata/labels/a"');
  expect(rewriteJsonPatch('"/metadata/finalizers"', template)).toBe('"/metadata/finalizers"');
});

it('messages name the place that users see', () => {
  expect(rewriteMessage('object.spec.x of object.metadata.name', template)).toBe(
    'object.spec.template.spec.x of object.metadata.name',
  );
});
