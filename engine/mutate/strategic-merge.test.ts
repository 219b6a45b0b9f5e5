import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../budget.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import {deepEqual, deepFreeze} from '../json/index.js';
import {pick, seededRandom} from '../json/testing/random.js';
import type {Json, JsonObject} from '../json/types.js';
import {parseYaml} from '../yaml/index.js';
import {mergeSchemaFor, strategicMerge} from './index.js';

function budget(steps = defaultLimits.steps): Budget {
  return new Budget({...defaultLimits, steps}, () => 0);
}

function merge(object: JsonObject, patch: Json): JsonObject | string {
  const schema = mergeSchemaFor(String(object['apiVersion']), String(object['kind']));
  const result = strategicMerge(deepFreeze(object), deepFreeze(patch), {schema, budget: budget()});
  return 'skipped' in result ? result.skipped : result.object;
}

function pod(spec: string, metadata = '{name: p}'): JsonObject {
  return parseYaml(`{apiVersion: v1, kind: Pod, metadata: ${metadata}, spec: ${spec}}`) as JsonObject;
}

/** [what, object's spec, patch's spec, expected spec, or the skip's text] */
type Row = readonly [string, string, string, string];

function check([, before, patch, after]: Row): void {
  const result = merge(pod(before), {spec: parseYaml(patch)});
  if (typeof result === 'string') expect(result).toBe(after);
  else expect(result['spec']).toEqual(parseYaml(after));
}

describe('strategicMerge of plain patches', () => {
  it.each<Row>([
    ['maps merge', '{a: {b: 1, c: 2}}', '{a: {c: 3, d: 4}}', '{a: {b: 1, c: 3, d: 4}}'],
    ['null removes', '{a: 1, b: 2}', '{a: null, gone: null}', '{b: 2}'],
    ['a map of nothing but removals is not created', '{a: 1}', '{b: {c: null}}', '{a: 1}'],
    ['removals inside new maps leave no null', '{}', '{a: {b: null, c: 1}}', '{a: {c: 1}}'],
    ['an empty map is set', '{}', '{a: {}}', '{a: {}}'],
    ['a map takes the place of a scalar', '{a: 1}', '{a: {b: 2}}', '{a: {b: 2}}'],
    ['a scalar takes the place of a map', '{a: {b: 2}}', '{a: 1}', '{a: 1}'],
    [
      'containers merge by name',
      '{containers: [{name: a, image: x}, {name: b}]}',
      '{containers: [{name: b, image: y}]}',
      '{containers: [{name: b, image: y}, {name: a, image: x}]}',
    ],
    [
      'new elements go to the front, in the order of the patch',
      '{containers: [{name: a}]}',
      '{containers: [{name: extra}, {name: more}]}',
      '{containers: [{name: extra}, {name: more}, {name: a}]}',
    ],
    [
      'what the patch names comes first, in its order',
      '{initContainers: [{name: a}, {name: b}, {name: c}]}',
      '{initContainers: [{name: c, image: i}, {name: new}, {name: a, image: i}]}',
      '{initContainers: [{name: c, image: i}, {name: new}, {name: a, image: i}, {name: b}]}',
    ],
    [
      'what is named and stays as it is keeps its place',
      '{initContainers: [{name: a}, {name: b, image: i}]}',
      '{initContainers: [{name: b, image: i}]}',
      '{initContainers: [{name: a}, {name: b, image: i}]}',
    ],
    [
      'of lists with several keys only what is new moves',
      '{containers: [{name: a, ports: [{containerPort: 1, protocol: TCP}, {containerPort: 2, protocol: TCP}]}]}',
      '{containers: [{name: a, ports: [{containerPort: 2, protocol: TCP, name: x}, {containerPort: 3, protocol: TCP}]}]}',
      '{containers: [{name: a, ports: [{containerPort: 3, protocol: TCP}, {containerPort: 1, protocol: TCP}, {containerPort: 2, protocol: TCP, name: x}]}]}',
    ],
    [
      'a new element follows its neighbour of the patch',
      '{containers: [{name: a}, {name: b}, {name: c}]}',
      '{containers: [{name: x}, {name: a}, {name: y}, {name: z}]}',
      '{containers: [{name: x}, {name: a}, {name: y}, {name: z}, {name: b}, {name: c}]}',
    ],
    [
      'nested lists merge by their own keys',
      '{containers: [{name: a, env: [{name: X, value: "1"}], volumeMounts: [{mountPath: /a, name: v}]}]}',
      '{containers: [{name: a, env: [{name: Y, value: "2"}], volumeMounts: [{mountPath: /a, readOnly: true}]}]}',
      '{containers: [{name: a, env: [{name: Y, value: "2"}, {name: X, value: "1"}], volumeMounts: [{mountPath: /a, name: v, readOnly: true}]}]}',
    ],
    [
      'an element without its key is added once',
      '{volumes: [{emptyDir: {}}, {name: v}]}',
      '{volumes: [{emptyDir: {}}, {hostPath: {path: /x}}]}',
      '{volumes: [{emptyDir: {}}, {hostPath: {path: /x}}, {name: v}]}',
    ],
    ['tolerations are replaced', '{tolerations: [{key: a}]}', '{tolerations: [{key: b}]}', '{tolerations: [{key: b}]}'],
    [
      'lists of scalars are replaced',
      '{containers: [{name: a, args: [x, y]}]}',
      '{containers: [{name: a, args: [z]}]}',
      '{containers: [{name: a, args: [z]}]}',
    ],
    [
      'an empty list replaces a list without keys',
      '{tolerations: [{key: a}]}',
      '{tolerations: []}',
      '{tolerations: []}',
    ],
    [
      'an empty list adds nothing to a merge list',
      '{containers: [{name: a}]}',
      '{containers: []}',
      '{containers: [{name: a}]}',
    ],
    [
      'a missing merge list is created',
      '{}',
      '{volumes: [{name: v, emptyDir: {}}]}',
      '{volumes: [{name: v, emptyDir: {}}]}',
    ],
    [
      'ports merge by number and protocol',
      '{containers: [{name: a, ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53, protocol: TCP}]}]}',
      '{containers: [{name: a, ports: [{containerPort: 53, protocol: TCP, name: dns}]}]}',
      '{containers: [{name: a, ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53, protocol: TCP, name: dns}]}]}',
    ],
    [
      'a port without protocol is the TCP one',
      '{containers: [{name: a, ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53, protocol: TCP}]}]}',
      '{containers: [{name: a, ports: [{containerPort: 53, name: dns}]}]}',
      '{containers: [{name: a, ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53, protocol: TCP, name: dns}]}]}',
    ],
    [
      'spread constraints are found by topology key alone',
      '{topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}]}',
      '{topologySpreadConstraints: [{topologyKey: z, maxSkew: 2}]}',
      '{topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: DoNotSchedule, maxSkew: 2}]}',
    ],
    ['$patch delete removes a map', '{securityContext: {a: 1}, b: 1}', '{securityContext: {$patch: delete}}', '{b: 1}'],
    [
      '$patch replace replaces a map',
      '{securityContext: {a: 1}}',
      '{securityContext: {$patch: replace, b: 2}}',
      '{securityContext: {b: 2}}',
    ],
    [
      '$patch merge is the default',
      '{securityContext: {a: 1}}',
      '{securityContext: {$patch: merge, b: 2}}',
      '{securityContext: {a: 1, b: 2}}',
    ],
    [
      '$patch delete removes an element',
      '{containers: [{name: a}, {name: b}]}',
      '{containers: [{name: a, $patch: delete}]}',
      '{containers: [{name: b}]}',
    ],
    [
      '$patch delete of a missing element does nothing',
      '{containers: [{name: a}]}',
      '{containers: [{name: z, $patch: delete}]}',
      '{containers: [{name: a}]}',
    ],
    [
      '$patch replace replaces an element in its place',
      '{containers: [{name: a, image: x}, {name: b}]}',
      '{containers: [{name: a, $patch: replace, tty: true}]}',
      '{containers: [{name: a, tty: true}, {name: b}]}',
    ],
    [
      '$patch replace as an element replaces the list',
      '{containers: [{name: a}, {name: b}]}',
      '{containers: [{$patch: replace}, {name: c}]}',
      '{containers: [{name: c}]}',
    ],
    [
      '$patch delete as an element removes the list',
      '{volumes: [{name: a}], b: 1}',
      '{volumes: [{$patch: delete}]}',
      '{b: 1}',
    ],
  ])('%s', (...row) => check(row));

  it('merges finalizers as a set', () => {
    const object = pod('{}', '{name: p, finalizers: [a, b]}');
    expect(merge(object, {metadata: {finalizers: ['c', 'a', 'c']}})).toMatchObject({
      metadata: {finalizers: ['c', 'a', 'b']},
    });
  });

  it('replaces every list of kinds it does not know', () => {
    const object = parseYaml('{apiVersion: x.io/v1, kind: X, items: [{name: a}, {name: b}]}') as JsonObject;
    expect(merge(object, {items: [{name: 'c'}]})).toMatchObject({items: [{name: 'c'}]});
    expect(merge(object, {items: [{'(name)': 'a', v: 30}]})).toMatchObject({items: [{name: 'a', v: 30}]});
  });

  it('leaves keys like __proto__ alone', () => {
    const result = merge(pod('{}'), JSON.parse('{"__proto__":{"polluted":1}}') as Json) as JsonObject;
    expect(Object.hasOwn(result, '__proto__')).toBe(true);
    expect(({} as {polluted?: unknown}).polluted).toBeUndefined();
  });

  it.each<[string, Json]>([
    ['nothing to set', {}],
    [
      'values that are there',
      {metadata: {name: 'p'}, spec: {containers: [{name: 'a', image: 'x'}], tolerations: [{key: 'k'}]}},
    ],
    ['removals of what is not there', {spec: {nodeName: null, containers: [{name: 'z', $patch: 'delete'}]}}],
    ['defaults that are there', {spec: {containers: [{'(name)': '*', '+(image)': 'y'}]}}],
  ])('returns the object itself for %s', (_, patch) => {
    const object = pod('{containers: [{name: a, image: x}], tolerations: [{key: k}]}');
    expect(merge(object, patch)).toBe(object);
  });

  it('shares what it does not change', () => {
    const object = pod('{containers: [{name: a}, {name: b}], volumes: [{name: v}]}');
    const result = merge(object, {spec: {containers: [{name: 'a', image: 'x'}]}}) as {
      spec: {containers: Json[]; volumes: Json};
    };
    const spec = object['spec'] as {containers: Json[]; volumes: Json};
    expect(result.spec.volumes).toBe(spec.volumes);
    expect(result.spec.containers[1]).toBe(spec.containers[1]);
  });

  it('refuses a patch that is no map, or deletes everything', () => {
    expect(() => merge(pod('{}'), ['x'])).toThrow(EvalError);
    expect(() => merge(pod('{}'), {$patch: 'delete'})).toThrow(EvalError);
  });

  it('stops when its budget is used up', () => {
    const options = {schema: undefined, budget: budget(3)};
    expect(() => strategicMerge({}, {a: 1, b: 2, c: 3, d: 4}, options)).toThrow(BudgetError);
  });
});

describe('strategicMerge with anchors', () => {
  it.each<Row>([
    ['+( ) sets what is missing', '{a: 1}', '{"+(a)": 2, "+(b)": 3}', '{a: 1, b: 3}'],
    [
      '+( ) keeps a present null-like value',
      '{a: false, b: 0, c: ""}',
      '{"+(a)": true, "+(b)": 1, "+(c)": x}',
      '{a: false, b: 0, c: ""}',
    ],
    [
      '+( ) over a map adds it with its own defaults',
      '{}',
      '{"+(securityContext)": {"+(runAsNonRoot)": true, x: 1}}',
      '{securityContext: {runAsNonRoot: true, x: 1}}',
    ],
    [
      '+( ) below a missing map creates it',
      '{}',
      '{securityContext: {"+(runAsNonRoot)": true}}',
      '{securityContext: {runAsNonRoot: true}}',
    ],
    [
      'a map of satisfied defaults is not created',
      '{securityContext: {a: 1}}',
      '{securityContext: {"+(a)": 2}}',
      '{securityContext: {a: 1}}',
    ],
    [
      '( ) holds: the rest is set, the condition is not',
      '{hostNetwork: true}',
      '{"(hostNetwork)": true, dnsPolicy: X}',
      '{hostNetwork: true, dnsPolicy: X}',
    ],
    [
      '( ) with a wildcard',
      '{serviceAccountName: team-a}',
      '{"(serviceAccountName)": "team-*", x: 1}',
      '{serviceAccountName: team-a, x: 1}',
    ],
    ['( ) with a range', '{priority: 5}', '{"(priority)": ">3", x: 1}', '{priority: 5, x: 1}'],
    [
      '( ) on a missing key skips everything',
      '{a: 1}',
      '{"(hostNetwork)": true, x: 1}',
      'conditional anchor did not match at /spec/hostNetwork/',
    ],
    [
      '( ) that does not match skips everything',
      '{hostNetwork: false}',
      '{"(hostNetwork)": true, x: 1}',
      'conditional anchor did not match at /spec/hostNetwork/',
    ],
    [
      '( ) deep in a map skips everything',
      '{a: {b: 1}}',
      '{x: 1, a: {"(b)": 2, c: 3}}',
      'conditional anchor did not match at /spec/a/b/',
    ],
    [
      '<( ) on a missing key skips everything',
      '{}',
      '{"<(volumes)": [{name: "*"}], x: 1}',
      'global anchor did not match at /spec/volumes/',
    ],
    ['<( ) holds', '{volumes: [{name: a}]}', '{"<(volumes)": [{name: "*"}], x: 1}', '{volumes: [{name: a}], x: 1}'],
    ['<( ) is looked at before ( )', '{}', '{"(a)": 1, "<(b)": 1}', 'global anchor did not match at /spec/b/'],
    ['a condition on a map may carry values', '{a: {b: 1}}', '{"(a)": {b: 1, "+(c)": 2}}', '{a: {b: 1, c: 2}}'],
    ['other anchors have no meaning', '{}', '{"=(a)": 1}', '{"=(a)": 1}'],
    [
      'list conditions choose elements',
      '{containers: [{name: a, image: "x:latest"}, {name: b, image: "x:1"}]}',
      '{containers: [{"(image)": "*:latest", imagePullPolicy: Always}]}',
      '{containers: [{name: a, image: "x:latest", imagePullPolicy: Always}, {name: b, image: "x:1"}]}',
    ],
    [
      'list conditions by name choose all',
      '{containers: [{name: a}, {name: b, tty: true}]}',
      '{containers: [{"(name)": "*", "+(tty)": false}]}',
      '{containers: [{name: a, tty: false}, {name: b, tty: true}]}',
    ],
    [
      'defaults inside elements are decided one by one',
      '{containers: [{name: a, securityContext: {runAsNonRoot: false}}, {name: b}]}',
      '{containers: [{"(name)": "*", securityContext: {"+(runAsNonRoot)": true}}]}',
      '{containers: [{name: b, securityContext: {runAsNonRoot: true}}, {name: a, securityContext: {runAsNonRoot: false}}]}',
    ],
    [
      'a condition deep in an element skips only that element',
      '{containers: [{name: a, resources: {limits: {cpu: 1}}}, {name: b}]}',
      '{containers: [{"(name)": "*", resources: {"(limits)": "*", requests: {cpu: 1}}}]}',
      '{containers: [{name: a, resources: {limits: {cpu: 1}, requests: {cpu: 1}}}, {name: b}]}',
    ],
    [
      'nothing matches: nothing happens',
      '{containers: [{name: a}]}',
      '{containers: [{"(image)": "*:latest", x: 1}]}',
      '{containers: [{name: a}]}',
    ],
    [
      'nothing matches in a list: the rest of the patch is applied',
      '{containers: [{name: a}]}',
      '{containers: [{"(image)": "*:latest", x: 1}], y: 1}',
      '{containers: [{name: a}], y: 1}',
    ],
    ['templates for an absent list vanish', '{}', '{initContainers: [{"(name)": "*", x: 1}]}', '{}'],
    [
      'plain elements beside templates of an absent list are added',
      '{}',
      '{volumes: [{"(name)": "*", x: 1}, {name: v}]}',
      '{volumes: [{name: v}]}',
    ],
    [
      '<( ) in a list holds for one element: the patch applies',
      '{containers: [{name: a, image: corp/x}, {name: b, image: y}]}',
      '{containers: [{"<(image)": "corp/*"}], imagePullSecrets: [{name: s}]}',
      '{containers: [{name: a, image: corp/x}, {name: b, image: y}], imagePullSecrets: [{name: s}]}',
    ],
    [
      '<( ) in a list holds for no element: nothing applies',
      '{containers: [{name: a, image: y}]}',
      '{containers: [{"<(image)": "corp/*"}], imagePullSecrets: [{name: s}]}',
      'global anchor did not match at /spec/containers/0/image/',
    ],
    [
      'an element with a fixed name and defaults is for that element',
      '{containers: [{name: a}, {name: b}]}',
      '{containers: [{name: b, "+(image)": x}]}',
      '{containers: [{name: b, image: x}, {name: a}]}',
    ],
    [
      'an element with a fixed name and defaults is added when missing',
      '{containers: [{name: a}]}',
      '{containers: [{name: c, "+(image)": x}]}',
      '{containers: [{name: c, image: x}, {name: a}]}',
    ],
    [
      'lists with another merge key are addressed by it',
      '{containers: [{name: a, ports: [{containerPort: 80, protocol: TCP}, {containerPort: 81, protocol: TCP}]}]}',
      '{containers: [{"(name)": "*", ports: [{"(containerPort)": 81, name: web}]}]}',
      '{containers: [{name: a, ports: [{containerPort: 80, protocol: TCP}, {containerPort: 81, protocol: TCP, name: web}]}]}',
    ],
    [
      'elements without an address are left alone',
      '{tolerations: [{key: a}]}',
      '{tolerations: [{"(key)": a, effect: X}]}',
      '{tolerations: [{key: a}]}',
    ],
    [
      'two templates for one list both act',
      '{containers: [{name: a, image: x}]}',
      '{containers: [{"(image)": x, tty: true}, {"(name)": a, stdin: true}]}',
      '{containers: [{name: a, image: x, tty: true, stdin: true}]}',
    ],
  ])('%s', (...row) => check(row));
});

describe('strategicMerge of any patch', () => {
  const names = ['a', 'b', 'c'];
  function container(random: () => number): JsonObject {
    const result: JsonObject = {name: pick(random, names)};
    if (random() < 0.5) result['image'] = pick(random, ['x:1', 'x:latest', 'y']);
    if (random() < 0.3) result['env'] = [{name: pick(random, names), value: pick(random, names)}];
    if (random() < 0.3) result['args'] = names.filter(() => random() < 0.5);
    if (random() < 0.2) result['ports'] = [{containerPort: pick(random, [80, 81])}];
    return result;
  }
  function containers(random: () => number): Json[] {
    const unique = new Map<Json, JsonObject>();
    for (let i = 0; i < 3; i++) {
      const item = container(random);
      unique.set(item['name']!, item);
    }
    return [...unique.values()];
  }
  function patchOf(random: () => number): JsonObject {
    const spec: JsonObject = {};
    if (random() < 0.6) spec['containers'] = containers(random);
    else
      spec['containers'] = [{'(image)': pick(random, ['*:latest', 'x*', '*']), '+(tty)': true, stdin: random() < 0.5}];
    if (random() < 0.3) spec['+(dnsPolicy)'] = 'X';
    if (random() < 0.3) spec['tolerations'] = [{key: pick(random, names)}];
    if (random() < 0.3) spec['nodeName'] = random() < 0.5 ? null : 'n';
    return {metadata: {labels: {'+(a)': '1', b: pick(random, names)}}, spec};
  }

  it('changes nothing the second time, and loses nothing of what was there', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 500; round++) {
      const object: JsonObject = {apiVersion: 'v1', kind: 'Pod', spec: {containers: containers(random), nodeName: 'm'}};
      const patch = patchOf(random);
      const once = merge(object, patch) as JsonObject;
      expect(typeof once).toBe('object');
      const twice = merge(once, patch);
      expect(twice === once || deepEqual(twice as Json, once)).toBe(true);
      const nameList = (value: JsonObject): Json[] =>
        (value['spec'] as {containers: {name: string}[]}).containers.map(item => item.name);
      const before = nameList(object);
      expect(nameList(once).filter(name => before.includes(name)).sort()).toEqual(before.sort());
    }
  });
});
