import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld, namespaceObject} from '../update-requests/testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
});
afterEach(() => world.close());

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';

function copying(synchronize: boolean, generation: number, name = 'copy'): void {
  world.policy(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: red}}}}]}
      generate: {apiVersion: v1, kind: ConfigMap, name: ${name}, namespace: "{{ request.object.metadata.name }}", synchronize: ${synchronize}, clone: {name: origin, namespace: base}}
`,
    {generation},
  );
}

const copy = () => ownPath(world.get(configMaps, 'shop/copy'), 'data', 'v');

async function switchedOff(): Promise<void> {
  world.server.put(configMaps, configMap('base', 'origin', {v: '1'}));
  copying(true, 1);
  await world.create(namespaces, namespaceObject('shop', {team: 'red'}));
  await world.settled();
  expect(copy()).toBe('1');
  copying(false, 2);
  await world.settled();
}

describe('a copy whose rule keeps it in step no longer', () => {
  it('follows neither its source, to the end of that', async () => {
    await switchedOff();
    await world.update(configMaps, configMap('base', 'origin', {v: '2'}));
    await world.settled();
    expect(copy()).toBe('1');
    await world.remove(configMaps, 'base/origin');
    await world.settled();
    expect(copy()).toBe('1');
  });

  it('nor its trigger, to the end of that', async () => {
    await switchedOff();
    await world.update(namespaces, namespaceObject('shop', {team: 'blue'}));
    await world.settled();
    expect(copy()).toBe('1');
    await world.remove(namespaces, 'shop');
    await world.settled();
    expect(copy()).toBe('1');
  });

  it('nor its policy: that goes, the copy stays and is the users\'', async () => {
    await switchedOff();
    world.dropPolicy('p');
    await world.settled();
    expect(copy()).toBe('1');
    expect(ownPath(world.get(configMaps, 'shop/copy'), 'metadata', 'annotations', 'generate.kyverno.io/relation')).toBeUndefined();
  });

  it('stays as users change it, and gone when they delete it, whoever leads', async () => {
    await switchedOff();
    await world.update(configMaps, {...world.get(configMaps, 'shop/copy')!, data: {v: 'mine'}});
    await world.settled();
    expect(copy()).toBe('mine');
    await world.remove(configMaps, 'shop/copy');
    world.lead(false);
    world.lead(true);
    await world.settled();
    copying(false, 3, 'copy');
    await world.settled();
    expect(copy()).toBeUndefined();
  });

  it('is in step again when that is switched on', async () => {
    await switchedOff();
    await world.update(configMaps, configMap('base', 'origin', {v: '2'}));
    copying(true, 3);
    await world.settled();
    expect(copy()).toBe('2');
  });
});
