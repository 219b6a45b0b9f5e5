import {describe, expect, it} from 'vitest';
import {EvalError} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import {frozen, requestOf} from '../testing/requests.js';
import {runOf, scopeOf} from '../testing/scopes.js';
import {compileTemplate, type TemplateOptions} from './template.js';

const object: JsonObject = frozen({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'default',
    labels: {a: '{{ evil }}', 'app.kubernetes.io/name': 'web', twice: '{{ request.object.spec.s }}'},
  },
  spec: {
    n: 3,
    list: [1, 2],
    nul: null,
    s: 'x',
    bool: true,
    containers: [{name: 'a', image: 'nginx', p: 8080}, {name: 'b'}],
  },
});

function substitute(value: Json, options: TemplateOptions = {}, request = requestOf({object})): Json {
  return compileTemplate(value, 'spec.rules[0].x', options).evaluate(scopeOf({request}));
}

function fault(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof EvalError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('a text that is one variable becomes its value', () => {
  it.each<[string, Json]>([
    ['{{ request.object.spec.n }}', 3],
    ['{{request.object.spec.bool}}', true],
    ['{{ request.object.spec.list }}', [1, 2]],
    ['{{ request.object.spec.nul }}', null],
    ["{{ request.object.spec.zzz || 'd' }}", 'd'],
    ["{{ request.object.spec.zzz.yyy || 'd' }}", 'd'],
    ['{{ request.object.spec.s.t }}', null],
    ['{{ request.object.spec.list[9] }}', null],
    ['{{ request.object.spec.zzz[] }}', null],
    ['{{ request.object.spec.zzz[*].a }}', null],
    ["{{ request.object.spec.zzz && 'a' }}", null],
    ["{{ request.object.spec.zzz | 'k' }}", 'k'],
    ['{{ request.object.metadata.labels.a }}', '{{ evil }}'],
    ['{{ {a: request.object.spec.s} }}', {a: 'x'}],
    ['{{ keys(@) }}', ['images', 'request', 'serviceAccountName', 'serviceAccountNamespace']],
    ['{{ request.object.spec.containers[*].p }}', [8080]],
    ["{{ image_normalize('nginx') }}", 'docker.io/nginx:latest'],
    ["{{ add('1Gi','512Mi') }}", '1536Mi'],
    ["{{ divide('1Gi','512Mi') }}", 2],
    ["{{ multiply('1Gi',`1.5`) }}", '1536Mi'],
    ['{{ round(`2.345`,`2`) }}', 2.35],
    ["{{ time_to_cron('2024-05-06T07:08:09Z') }}", '8 7 6 5 1'],
    ['{{ request.object.metadata.labels."app.kubernetes.io/name" }}', 'web'],
    ['{{- request.object.spec.n }}', 3],
  ])('%s', (text, want) => {
    expect(substitute(text)).toEqual(want);
  });
});

describe('variables inside a text are put in', () => {
  it.each<[string, Json]>([
    ['{{request.object.spec.n}} x', '3 x'],
    ['l={{ request.object.spec.list }}', 'l=[1,2]'],
    ['v={{ request.object.spec.nul }}', 'v=null'],
    [' {{ request.object.spec.s }}', ' x'],
    ['{{ request.object.spec.s }}-{{ request.object.spec.n }}', 'x-3'],
    ['o={{ request.object.spec.containers[1] }}', 'o={"name":"b"}'],
    ['x{{- request.object.metadata.labels.a }}', 'x{{ evil }}'],
    ['\\{{ foo }}', '{{ foo }}'],
    ['a \\{{ foo }} {{ request.object.spec.s }}', 'a {{ foo }} x'],
    ['x{{ request.object.metadata.labels.twice }}', 'xx'],
    ["{{ request.object.spec.{{ 's' }} }}", 'x'],
    ["{{ request.object.{{ 'spec' }}.{{ 'n' }} }}", 3],
    ['no { variable } here }}', 'no { variable } here }}'],
    ['{{ unclosed', '{{ unclosed'],
  ])('%s', (text, want) => {
    expect(substitute(text)).toEqual(want);
  });
});

describe('what cannot be resolved says where', () => {
  it.each<[string, Json, string]>([
    [
      'an unknown key',
      '{{ request.object.spec.zzz }}',
      'failed to resolve request.object.spec.zzz at path : JMESPath query failed: Unknown key "zzz" in path',
    ],
    [
      'in a list of a map',
      {a: ['', '{{ request.object.spec.zzz }}']},
      'failed to resolve request.object.spec.zzz at path /a/1: JMESPath query failed: Unknown key "zzz" in path',
    ],
    ['the right side of and', "{{ 'a' && request.object.spec.zzz }}", 'Unknown key "zzz" in path'],
    [
      'a wrong type',
      '{{ length(request.object.spec.zzz) }}',
      'failed to resolve length(request.object.spec.zzz) at path : JMESPath query failed: ',
    ],
    [
      'a value that is substituted again',
      'x{{ request.object.metadata.labels.a }}',
      'failed to resolve evil at path : JMESPath query failed: Unknown key "evil" in path',
    ],
    [
      'a key that is no text',
      {'{{ request.object.spec.n }}': 1},
      'expected string after substituting variables in key "{{ request.object.spec.n }}"',
    ],
    ['an expression made at run time', "{{ request.object.{{ '[[' }} }}", 'JMESPath query failed: SyntaxError'],
    ['a prototype member', '{{ request.object.spec.constructor }}', 'Unknown key "constructor" in path'],
  ])('%s', (_title, value, want) => {
    expect(fault(() => substitute(value))).toContain(want);
  });
});

describe('maps and lists', () => {
  it('are substituted through, keys included', () => {
    const value = {'{{ request.object.spec.s }}': ['{{ request.object.spec.n }}', {plain: 1}]};
    expect(substitute(value)).toEqual({x: [3, {plain: 1}]});
  });

  it('keep a key that has no value', () => {
    expect(substitute({'{{ request.object.spec.nul }}': 1})).toEqual({'{{ request.object.spec.nul }}': 1});
  });

  it('without variables are one constant', () => {
    const template = compileTemplate({a: [1, {b: 'c'}]}, 'x');
    expect(template.isStatic).toBe(true);
  });

  it('keep a key of the prototype as data', () => {
    const value = JSON.parse('{"__proto__": "{{ request.object.spec.s }}"}') as Json;
    const result = substitute(value) as JsonObject;
    expect(Object.entries(result)).toEqual([['__proto__', 'x']]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });
});

describe('{{@}} is the value at the same place of the object', () => {
  it.each<[string, TemplateOptions, Json, Json]>([
    [
      'in a patch',
      {document: ['mutate', 'patchStrategicMerge']},
      {spec: {containers: [{'(name)': 'a', image: 'reg/{{@}}'}]}},
      {spec: {containers: [{'(name)': 'a', image: 'reg/nginx'}]}},
    ],
    ['in a pattern', {document: ['validate', 'pattern']}, {spec: {s: '{{@}}'}}, {spec: {s: 'x'}}],
    ['under an anchor', {document: ['validate', 'pattern']}, {spec: {'=(s)': '{{ @ }}'}}, {spec: {'=(s)': 'x'}}],
    ['in an alternative', {document: ['validate', 'anyPattern', 1]}, {spec: {s: '{{@}}'}}, {spec: {s: 'x'}}],
    [
      'in the first loop',
      {document: ['mutate', 'foreach', 0, 'patchStrategicMerge']},
      {spec: {containers: [{image: '{{@}}'}]}},
      {spec: {containers: [{image: 'nginx'}]}},
    ],
    [
      'in the second loop',
      {document: ['mutate', 'foreach', 1, 'patchStrategicMerge']},
      {spec: {containers: [{image: '{{@}}'}]}},
      {spec: {containers: [{image: 'nginx'}]}},
    ],
    [
      'in a loop of a loop',
      {document: ['mutate', 'foreach', 0, 'foreach', 0, 'patchStrategicMerge']},
      {spec: {s: '{{@}}'}},
      {spec: {s: 'x'}},
    ],
    [
      'under a key with dots',
      {document: ['validate', 'pattern']},
      {metadata: {labels: {'app.kubernetes.io/name': '{{@}}'}}},
      {metadata: {labels: {'app.kubernetes.io/name': 'web'}}},
    ],
  ])('%s', (_title, options, value, want) => {
    expect(substitute(value, options)).toEqual(want);
  });

  it('is only rewritten when it stands alone', () => {
    expect(fault(() => substitute({spec: {s: '{{ to_upper(@) }}'}}, {document: ['validate', 'pattern']}))).toContain(
      'to_upper',
    );
  });
});

describe('on DELETE', () => {
  const request = requestOf({operation: 'DELETE', oldObject: object});
  it.each<[string, Json]>([
    ['{{ request.object.spec.s }}', 'x'],
    ['{{ request.oldObject.spec.s }}', 'x'],
    ['a {{ request.object.metadata.name }}', 'a p'],
    ['{{ request.operation }}', 'DELETE'],
  ])('%s reads the old object', (text, want) => {
    expect(substitute(text, {}, request)).toEqual(want);
  });
});

describe('$( ) takes a leaf of the same document', () => {
  it.each<[string, Json, Json]>([
    ['beside it', {a: 1, b: '$(./../a)'}, {a: 1, b: 1}],
    ['from the root', {a: {b: 'x'}, c: '$(/a/b)'}, {a: {b: 'x'}, c: 'x'}],
    ['under an anchor', {'=(a)': 'x', b: '$(./../a)'}, {'=(a)': 'x', b: 'x'}],
    ['of a list', {a: [5, 6], b: '$(/a/1)'}, {a: [5, 6], b: 6}],
    ['with an operator that stays', {limit: '2Gi', request: '$(<=./../limit)'}, {limit: '2Gi', request: '<=2Gi'}],
    ['inside a text', {a: 'x', b: 'v-$(./../a)'}, {a: 'x', b: 'v-x'}],
    ['that is a reference itself', {a: 'x', b: '$(./../a)', c: '$(./../b)'}, {a: 'x', b: 'x', c: 'x'}],
    ['unless escaped', {a: 'x', b: '\\$(./../a)'}, {a: 'x', b: '$(./../a)'}],
    ['before variables', {a: '{{ request.object.spec.n }}', b: '$(./../a)'}, {a: 3, b: 3}],
  ])('%s', (_title, value, want) => {
    expect(substitute(value)).toEqual(want);
  });

  it.each<[string, Json, string]>([
    ['a map', {a: {}, b: '$(/a)'}, 'a reference must name a leaf that exists'],
    ['nothing', {b: '$(/a)'}, 'a reference must name a leaf that exists'],
    ['null', {a: null, b: '$(/a)'}, 'a reference must name a leaf that exists'],
    ['itself in a circle', {a: '$(/b)', b: '$(/a)'}, 'references form a circle'],
    ['a prototype member', {b: '$(/constructor/name)'}, 'a reference must name a leaf that exists'],
  ])('%s is refused with the policy', (_title, value, want) => {
    expect(() => compileTemplate(value, 'spec.rules[0].x')).toThrow(want);
  });
});

describe('substitution that grows', () => {
  it('ends with the budget when values name themselves', () => {
    const labels = {a: '{{ request.object.metadata.labels.a }}{{ request.object.metadata.labels.a }}'};
    const request = requestOf({object: {kind: 'Pod', apiVersion: 'v1', metadata: {name: 'p', labels}}});
    expect(fault(() => substitute('x{{ request.object.metadata.labels.a }}', {}, request))).toMatch(/limit/);
  });

  it('counts each of many references to one large value', () => {
    const request = requestOf({
      object: {kind: 'Pod', apiVersion: 'v1', metadata: {name: 'p'}, spec: {big: 'y'.repeat(100_000)}},
    });
    const scope = scopeOf({request, run: runOf(undefined, {bytes: 1_000_000})});
    const template = compileTemplate(`x${'{{ request.object.spec.big }}'.repeat(1000)}`, 'x');
    expect(fault(() => template.evaluate(scope))).toContain('context size limit exceeded');
  });
});
