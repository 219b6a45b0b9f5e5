import {describe, expect, it} from 'vitest';
import {fault, json, query} from './testing/run.js';

const data = json(`{
  "request": {
    "operation": "CREATE",
    "object": {
      "metadata": {"name": "p", "labels": {"a": "{{ evil }}", "app.kubernetes.io/name": "web"}},
      "spec": {
        "n": 3, "list": [1, 2], "nul": null, "s": "x",
        "containers": [{"name": "a", "image": "nginx", "p": 8080}, {"name": "b"}]
      }
    }
  },
  "elementIndex": 1
}`);
const spec = 'request.object.spec';

describe('queries of policies', () => {
  it.each([
    [`${spec}.n`, '3'],
    [`${spec}.nul`, 'null'],
    [`${spec}.zzz || 'd'`, '"d"'],
    [`${spec}.zzz.yyy || 'd'`, '"d"'],
    [`${spec}.s.t`, 'null'],
    [`${spec}.list[9]`, 'null'],
    [`${spec}.zzz[]`, 'null'],
    [`${spec}.zzz[*].a`, 'null'],
    [`${spec}.zzz && 'a'`, 'null'],
    [`${spec}.zzz | 'k'`, '"k"'],
    ['request.object.metadata.labels.a', '"{{ evil }}"'],
    ['request.object.metadata.labels."app.kubernetes.io/name"', '"web"'],
    [`{a: ${spec}.s}`, '{"a":"x"}'],
    ['keys(@)', '["elementIndex","request"]'],
    [`${spec}.containers[*].p`, '[8080]'],
    [`${spec}.containers[?p].name`, '["a"]'],
    [`${spec}.[containers, initContainers, ephemeralContainers][].name`, '["a","b"]'],
    [`${spec}.[initContainers[], containers[]][].image`, '["nginx"]'],
    [`length(${spec}.containers[?contains(image || '', 'nginx')])`, '1'],
    [`to_string(${spec}.list)`, '"[1,2]"'],
    ["request.operation || 'BACKGROUND'", '"CREATE"'],
    ['request.object.metadata.annotations."a/b" || \'\'', '""'],
    ['elementIndex == `1`', 'true'],
  ])('%s is %s', (text, want) => {
    expect(query(text, data)).toBe(want);
  });

  it.each([
    [`${spec}.zzz`, 'Unknown key "zzz" in path'],
    [`'a' && ${spec}.zzz`, 'Unknown key "zzz" in path'],
    [`length(${spec}.zzz)`, 'Invalid type for: <nil>, expected: [string, array, object]'],
    ['foo', 'Unknown key "foo" in path'],
  ])('%s is an error: %s', (text, want) => {
    expect(fault(text, data)).toBe(want);
  });
});
