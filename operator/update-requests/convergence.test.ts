import {afterEach, describe, expect, it} from 'vitest';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';
const secrets = 'api/v1/secrets';

const policies: Readonly<Record<string, (variant: number) => string>> = {
  data: variant => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: data}
spec:
  rules:
    - name: config
      match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: red}}}}]}
      generate:
        apiVersion: v1
        kind: ConfigMap
        name: made
        namespace: "{{ request.object.metadata.name }}"
        synchronize: true
        generateExisting: true
        data: {data: {variant: "${variant}", zone: "{{ request.object.metadata.labels.zone || 'none' }}"}}
`,
  clone: variant => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: clone, annotations: {variant: "${variant}"}}
spec:
  rules:
    - name: copy
      match: {any: [{resources: {kinds: [Namespace]}}]}
      preconditions: {all: [{key: "{{ request.object.metadata.labels.copies || 'no' }}", operator: Equals, value: "yes"}]}
      generate:
        apiVersion: v1
        kind: Secret
        name: copied
        namespace: "{{ request.object.metadata.name }}"
        synchronize: true
        generateExisting: true
        clone: {name: origin, namespace: base}
`,
  list: variant => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: list, annotations: {variant: "${variant}"}}
spec:
  rules:
    - name: copies
      match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: red}}}}]}
      generate:
        namespace: "{{ request.object.metadata.name }}"
        synchronize: true
        generateExisting: true
        cloneList: {namespace: base, kinds: [v1/ConfigMap], selector: {matchLabels: {share: "yes"}}}
`,
  each: variant => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: each}
spec:
  rules:
    - name: parts
      match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: blue}}}}]}
      generate:
        synchronize: true
        generateExisting: true
        foreach:
          - list: "request.object.metadata.annotations.parts || '' | split(@, ',')"
            preconditions: {all: [{key: "{{ element }}", operator: NotEquals, value: ""}]}
            apiVersion: v1
            kind: ConfigMap
            name: "part-{{ element }}"
            namespace: "{{ request.object.metadata.name }}"
            data: {data: {variant: "${variant}"}}
`,
};

/** What a user's hand has done last, to be done anew on a cluster that knows nothing. */
interface State {
  readonly objects: Map<string, {collection: string; object: JsonObject}>;
  readonly policies: Map<string, number>;
}

function random(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const names = ['n1', 'n2', 'n3'];

async function step(world: BackgroundWorld, state: State, pick: (below: number) => number): Promise<string> {
  const choose = <T>(items: readonly T[]): T => items[pick(items.length)]!;
  async function put(collection: string, object: JsonObject): Promise<void> {
    const key = [ownPath(object, 'metadata', 'namespace'), ownPath(object, 'metadata', 'name')].filter(Boolean).join('/');
    if (world.get(collection, key) === undefined) await world.create(collection, object);
    else await world.update(collection, object);
    state.objects.set(`${collection} ${key}`, {collection, object});
  }
  async function drop(collection: string, key: string): Promise<void> {
    await world.remove(collection, key);
    state.objects.delete(`${collection} ${key}`);
  }
  switch (pick(10)) {
    case 0:
    case 1:
    case 2: {
      const name = choose(names);
      const labels: JsonObject = {...(pick(3) > 0 && {team: choose(['red', 'blue'])}), ...(pick(2) > 0 && {copies: 'yes'}), ...(pick(2) > 0 && {zone: choose(['a', 'b'])})};
      const object = namespaceObject(name, labels);
      const annotations = pick(2) > 0 ? {parts: choose(['x', 'x,y', 'y,z'])} : {};
      await put(namespaces, {...object, metadata: {...(own(object, 'metadata') as JsonObject), annotations}});
      return `namespace ${name} ${JSON.stringify(labels)} ${JSON.stringify(annotations)}`;
    }
    case 3: {
      const name = choose(names);
      await drop(namespaces, name);
      return `no namespace ${name}`;
    }
    case 4: {
      if (pick(3) === 0) {
        await drop(secrets, 'base/origin');
        return 'no origin';
      }
      await put(secrets, {apiVersion: 'v1', kind: 'Secret', metadata: {namespace: 'base', name: 'origin'}, data: {key: choose(['QQ==', 'Qg=='])}});
      return 'origin';
    }
    case 5: {
      const name = choose(['c1', 'c2']);
      if (pick(3) === 0) {
        await drop(configMaps, `base/${name}`);
        return `no ${name}`;
      }
      await put(configMaps, configMap('base', name, {v: choose(['1', '2'])}, pick(3) > 0 ? {share: 'yes'} : {}));
      return `source ${name}`;
    }
    case 6: {
      const made = world.server.objects(choose([configMaps, secrets])).filter(object => ownPath(object, 'metadata', 'annotations', 'generate.kyverno.io/relation') !== undefined);
      if (made.length === 0) return 'nothing to change';
      const object = choose(made);
      const collection = object['kind'] === 'Secret' ? secrets : configMaps;
      await world.update(collection, {...object, data: {...(ownPath(object, 'data') as JsonObject), extra: 'QQ=='}});
      return `changed ${String(ownPath(object, 'metadata', 'namespace'))}/${String(ownPath(object, 'metadata', 'name'))}`;
    }
    case 7: {
      const made = world.server.objects(choose([configMaps, secrets])).filter(object => ownPath(object, 'metadata', 'annotations', 'generate.kyverno.io/relation') !== undefined);
      if (made.length === 0) return 'nothing to delete';
      const object = choose(made);
      await world.remove(object['kind'] === 'Secret' ? secrets : configMaps, `${String(ownPath(object, 'metadata', 'namespace'))}/${String(ownPath(object, 'metadata', 'name'))}`);
      return `deleted ${String(ownPath(object, 'metadata', 'namespace'))}/${String(ownPath(object, 'metadata', 'name'))}`;
    }
    default: {
      const name = choose(Object.keys(policies));
      if (state.policies.has(name) && pick(3) === 0) {
        world.dropPolicy(name);
        state.policies.delete(name);
        return `no policy ${name}`;
      }
      const variant = pick(3);
      world.policy(policies[name]!(variant));
      state.policies.set(name, variant);
      return `policy ${name} ${variant}`;
    }
  }
}

/** What was made, without what differs between any two clusters. */
function result(world: BackgroundWorld): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const collection of [configMaps, secrets]) {
    for (const object of world.server.objects(collection)) {
      const labels = ownPath(object, 'metadata', 'labels');
      const kept = isObject(labels) ? Object.fromEntries(Object.entries(labels).filter(([key]) => !key.endsWith('-uid'))) : {};
      found[`${collection} ${String(ownPath(object, 'metadata', 'namespace'))}/${String(ownPath(object, 'metadata', 'name'))}`] = {data: object['data'], labels: kept};
    }
  }
  return found;
}

async function fresh(state: State): Promise<Record<string, unknown>> {
  const world = await createBackgroundWorld();
  try {
    for (const [name, variant] of state.policies) world.policy(policies[name]!(variant));
    for (const {collection, object} of state.objects.values()) await world.create(collection, object);
    await world.settled();
    return result(world);
  } finally {
    await world.close();
  }
}

let world: BackgroundWorld | undefined;
afterEach(() => world?.close());

const seeds = Number(process.env['CONVERGENCE_SEEDS'] ?? 6);
const firstSeed = Number(process.env['CONVERGENCE_FIRST'] ?? 1);

describe('whatever is done in whatever order, the end is that of a cluster that knows only the end', () => {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    it(`seed ${seed}`, async () => {
      world = await createBackgroundWorld();
      const pick = random(seed * 7_919);
      const state: State = {objects: new Map(), policies: new Map()};
      const steps: string[] = [];
      for (let count = 0; count < 40; count += 1) {
        steps.push(await step(world, state, pick));
        // Half of the runs change leader in the middle, what is under way with it.
        if (seed % 2 === 0 && count === 10 + (seed % 20)) {
          world.lead(false);
          steps.push(await step(world, state, pick));
          world.lead(true);
          steps.push('another leader');
        }
        if (pick(4) === 0) await new Promise(resolve => setTimeout(resolve, pick(400)));
      }
      await world.settled();
      expect(result(world), steps.join('\n')).toEqual(await fresh(state));
    });
  }
});
