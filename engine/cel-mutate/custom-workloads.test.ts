import {describe, expect, it} from 'vitest';
import {createResourceMap} from '../builtin-resources.js';
import type {JsonObject} from '../json/types.js';
import {requestOf} from '../testing/requests.js';
import {applies, mutatingEngine, mutatingPolicy} from './testing/engine.js';

const resources = createResourceMap([
  {group: 'acme.io', version: 'v1', kind: 'Fleet', resource: 'fleets', namespaced: true, subResources: []},
]);
const spec = 'autogen: {podControllers: {controllers: [fleets.v1.acme.io]}}';

const fleet = (images: readonly string[]): JsonObject => ({
  apiVersion: 'acme.io/v1',
  kind: 'Fleet',
  metadata: {name: 'f', namespace: 'default'},
  spec: {
    size: 2,
    groups: images.map(image => ({
      template: {metadata: {labels: {image}}, spec: {containers: [{name: 'main', image}]}},
    })),
  },
});

async function mutate(expression: string, object: JsonObject) {
  const engine = mutatingEngine([mutatingPolicy(applies(expression), {spec})], {resources});
  const answer = await engine.mutate(requestOf({object}), {phase: 'admission', deadline: Number.POSITIVE_INFINITY});
  return {
    ...answer,
    told: answer.results.flatMap(({rules}) => rules.map(({status, message}) => `${status}: ${message}`)),
  };
}

const marks = `Object{
  metadata: Object.metadata{labels: {"of": string(object.metadata.name)}},
  spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Always"})}
}`;

describe('workloads of custom kinds', () => {
  it('have each of their Pod templates changed as a Pod', async () => {
    const {patch, told} = await mutate(marks, fleet(['a', 'b']));
    expect(told).toEqual(['pass: success']);
    expect(patch).toEqual(
      [0, 1].flatMap(index => [
        {op: 'add', path: `/spec/groups/${index}/template/metadata/labels/of`, value: 'f'},
        {op: 'add', path: `/spec/groups/${index}/template/spec/containers/0/imagePullPolicy`, value: 'Always'},
      ]),
    );
  });

  it('stay as they are when one template cannot be changed', async () => {
    const expression = `Object{metadata: Object.metadata{labels: {"a": object.spec.containers[0].image == "b" ? object.spec.nope : "x"}}}`;
    const {patch, told} = await mutate(expression, fleet(['a', 'b']));
    expect(patch).toEqual([]);
    expect(told).toEqual([
      'error: failed to evaluate policy: no such key: nope (pod template at spec.groups[1].template)',
    ]);
  });

  it('are skipped without a template', async () => {
    const {told} = await mutate(marks, fleet([]));
    expect(told).toEqual(['skip: extraction mode: no pod template found in acme.io/v1/Fleet']);
  });
});
