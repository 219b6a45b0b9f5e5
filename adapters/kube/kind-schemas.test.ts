import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {systemClock} from '../clock.js';
import {createKindSchemas} from './kind-schemas.js';
import {KubeError} from './kube-error.js';

const kinds = ['widgets', 'gadgets'].map((resource, index) => ({
  group: 'acme.io',
  version: 'v1',
  kind: index === 0 ? 'Widget' : 'Gadget',
  resource,
  namespaced: true,
  subResources: [],
}));

const definition = (generation: number, schema: JsonObject): JsonObject => ({
  metadata: {name: 'widgets.acme.io', uid: 'u', generation},
  spec: {group: 'acme.io', names: {kind: 'Widget'}, versions: [{name: 'v1', schema: {openAPIV3Schema: schema}}]},
});

function world(answers: Array<JsonObject | Error>) {
  let now = 0;
  const asked: string[] = [];
  const schemas = createKindSchemas({
    client: {
      get(ref) {
        asked.push(ref.name);
        const answer = answers.shift()!;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
    resources: {
      kindOf: () => undefined,
      find: kind => kinds.filter(info => info.kind === kind),
      all: () => kinds,
    },
    clock: {...systemClock, monotonic: () => now},
    timeoutMs: 1000,
  });
  return {schemas, asked, pass: (ms: number) => (now += ms)};
}

const missing = new KubeError({status: 404, reason: 'NotFound', message: 'no'});
const broken = new KubeError({status: 500, reason: 'InternalError', message: 'no'});

describe('schemas of custom kinds', () => {
  it('are read once while they are fresh', async () => {
    const {schemas, asked} = world([definition(1, {type: 'object'})]);
    const answers = await Promise.all([schemas('acme.io/v1', 'Widget'), schemas('acme.io/v1', 'Widget')]);
    expect(answers).toEqual([{type: 'object'}, {type: 'object'}]);
    expect(schemas('acme.io/v1', 'Widget')).toBe(answers[0]);
    expect(asked).toEqual(['widgets.acme.io']);
  });

  it('stay the same object until the definition changes', async () => {
    const {schemas, pass} = world([definition(1, {a: 1}), definition(1, {a: 1}), definition(2, {a: 2})]);
    const first = await schemas('acme.io/v1', 'Widget');
    pass(60_000);
    expect(await schemas('acme.io/v1', 'Widget')).toBe(first);
    pass(60_000);
    expect(await schemas('acme.io/v1', 'Widget')).toEqual({a: 2});
  });

  it('outlive an API server that does not answer', async () => {
    const {schemas, pass} = world([definition(1, {a: 1}), broken]);
    const first = await schemas('acme.io/v1', 'Widget');
    pass(60_000);
    expect(await schemas('acme.io/v1', 'Widget')).toBe(first);
  });

  it('are an error when they cannot be read at all', async () => {
    const {schemas} = world([broken]);
    await expect(schemas('acme.io/v1', 'Widget')).rejects.toThrow('failed to read the definition of widgets.acme.io');
  });

  it('are none for kinds without definition', async () => {
    const {schemas, asked} = world([missing]);
    expect(schemas('other.io/v1', 'Widget')).toBeUndefined();
    expect(await schemas('acme.io/v1', 'Gadget')).toBeUndefined();
    expect(asked).toEqual(['gadgets.acme.io']);
  });
});
