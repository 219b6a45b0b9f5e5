import {describe, expect, it} from 'vitest';
import {parseJsonPatch} from '../mutate/index.js';
import {engineOf, mutated, policyOf} from '../testing/engines.js';
import {pod, requestOf} from '../testing/requests.js';
import {patchSkeleton} from './patch-skeleton.js';

const add = '- {op: add, path: /metadata/labels/a, value: "{{ v }}"}';

describe('a patch made of text and values', () => {
  it.each<[string, string, string, boolean]>([
    ['may have any value', add, '- {op: add, path: /metadata/labels/a, value: "x"}', true],
    [
      'may have a value of any type',
      '- {op: add, path: /a, value: {{ v }}}',
      '- {op: add, path: /a, value: {b: [1]}}',
      true,
    ],
    [
      'may have a path by variables',
      '- {op: add, path: "/a/{{ i }}/b", value: 1}',
      '- {op: add, path: /a/3/b, value: 1}',
      true,
    ],
    ['may be written as JSON', '[{"op":"remove","path":"/a/{{ i }}"}]', '[{"op":"remove","path":"/a/0"}]', true],
    ['may be a variable whole', '{{ v }}', add, true],
    ['may list operations by variables', '[{{ v }}]', '[{op: remove, path: /a}, {op: remove, path: /b}]', true],
    [
      'has no operation more',
      add,
      '- {op: add, path: /metadata/labels/a, value: "x"}\n- {op: remove, path: /spec}',
      false,
    ],
    ['has no operation less', `${add}\n${add}`, '- {op: add, path: /metadata/labels/a, value: "x"}', false],
    ['has no other path', add, '- {op: add, path: /metadata/labels/b, value: x}', false],
    ['has no other operation', add, '- {op: remove, path: /metadata/labels/a}', false],
    [
      'has no other source',
      '- {op: copy, from: /a, path: /b}\n- {op: add, path: /c, value: "{{ v }}"}',
      '- {op: copy, from: /z, path: /b}\n- {op: add, path: /c, value: 1}',
      false,
    ],
  ])('%s', (_title, text, result, want) => {
    expect(patchSkeleton(text)(parseJsonPatch(result))).toBe(want);
  });
});

describe('a value of the object', () => {
  const rule =
    '[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, mutate: {patchesJson6902: "- op: add\\n  path: /metadata/labels/a\\n  value: \\"{{ request.object.metadata.annotations.v }}\\""}}]';
  const patchedBy = (value: string) =>
    mutated(
      engineOf([policyOf('p', rule)]).engine,
      requestOf({object: pod('p', {metadata: {labels: {}, annotations: {v: value}}})}),
    );

  it('is put in', async () => {
    expect((await patchedBy('x')).patch).toEqual([{op: 'add', path: '/metadata/labels/a', value: 'x'}]);
  });

  it('adds no operations of its own', async () => {
    const answer = await patchedBy('x"\n- op: remove\n  path: "/spec/containers/0');
    expect(answer.denied).toContain('variable substitution failed: values must not change the operations of the patch');
    expect(answer.patch).toEqual([]);
  });
});
