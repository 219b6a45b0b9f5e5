import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
});
afterEach(() => world.close());

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';

function defaults(more = '', data = 'level: info'): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: defaults}
spec:
  rules:
    - name: config
      match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: red}}}}]}
      generate:
        apiVersion: v1
        kind: ConfigMap
        name: defaults
        namespace: "{{ request.object.metadata.name }}"
        ${more}
        data: {data: {${data}}}
`;
}

const red = {team: 'red'};

describe('an object that a rule makes', () => {
  it('is there after its trigger: one write for it, two for the request', async () => {
    world.policy(defaults());
    await world.settled();
    await world.create(namespaces, namespaceObject('shop', red));
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toMatchObject({data: {level: 'info'}, metadata: {labels: {'generate.kyverno.io/rule-name': 'config'}}});
    const [create, made, done] = world.writes();
    expect([create, made]).toEqual(['POST /apis/kyverno.io/v2/namespaces/kyverno/updaterequests', 'PATCH /api/v1/namespaces/shop/configmaps/defaults']);
    expect(done).toMatch(/^DELETE \/apis\/kyverno.io\/v2\/namespaces\/kyverno\/updaterequests\/ur-/);
    expect(world.writes()).toHaveLength(3);
  });

  it('is none where the rule does not match, and costs nothing then', async () => {
    world.policy(defaults());
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(world.writes()).toEqual([]);
  });

  it('is waited for by the report of its trigger, until the request is done', async () => {
    world.policy(defaults());
    const {metadata} = await world.create(namespaces, namespaceObject('shop', red));
    const uid = String(ownPath(metadata, 'uid'));
    expect(world.core.findings.expected.has(uid)).toBe(true);
    let heard = false;
    world.core.findings.subscribe(() => (heard = world.core.findings.expected.has(uid)));
    await world.settled();
    expect([heard, world.core.findings.expected.has(uid)]).toEqual([true, false]);
  });

  it('is left alone when it is there, unless the rule keeps it in step', async () => {
    world.policy(defaults());
    world.server.put(configMaps, configMap('shop', 'defaults', {mine: 'yes'}));
    await world.create(namespaces, namespaceObject('shop', red));
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toMatchObject({data: {mine: 'yes'}});
    expect(world.writes()).toHaveLength(2);
  });
});

describe('an object that is kept in step', () => {
  async function made(more = 'synchronize: true'): Promise<void> {
    world.policy(defaults(more));
    await world.create(namespaces, namespaceObject('shop', red));
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toMatchObject({data: {level: 'info'}});
  }

  it('is put right when somebody changes it', async () => {
    await made();
    await world.update(configMaps, configMap('shop', 'defaults', {level: 'debug', more: 'x'}, (ownPath(world.get(configMaps, 'shop/defaults'), 'metadata', 'labels') ?? {}) as never));
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/defaults'), 'data')).toEqual({level: 'info'});
  });

  it('comes again when somebody deletes it', async () => {
    await made();
    await world.remove(configMaps, 'shop/defaults');
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toMatchObject({data: {level: 'info'}});
  });

  it('goes with its trigger', async () => {
    await made();
    await world.remove(namespaces, 'shop');
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toBeUndefined();
  });

  it('goes when its trigger matches no more', async () => {
    await made();
    await world.update(namespaces, namespaceObject('shop', {team: 'blue'}));
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toBeUndefined();
  });

  it('follows its policy, also in what that no longer says', async () => {
    await made();
    world.policy(defaults('synchronize: true', 'other: b'), {generation: 2});
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/defaults'), 'data')).toEqual({other: 'b'});
  });

  it('goes with its policy', async () => {
    await made();
    world.dropPolicy('defaults');
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toBeUndefined();
  });

  it('stays when its policy goes and says so, and is the users\' from then on', async () => {
    await made('{synchronize: true, orphanDownstreamOnPolicyDelete: true}'.slice(1, -1).split(', ').join('\n        '));
    world.dropPolicy('defaults');
    await world.settled();
    const left = world.get(configMaps, 'shop/defaults');
    expect(left).toMatchObject({data: {level: 'info'}});
    expect(ownPath(left, 'metadata', 'labels', 'app.kubernetes.io/managed-by')).toBeUndefined();
  });

  it('is found again by who leads next, and nothing is written for that', async () => {
    await made();
    world.lead(false);
    await world.settled();
    const before = world.writes().length;
    world.lead(true);
    await world.settled();
    expect(world.writes().length).toBe(before);
    await world.remove(namespaces, 'shop');
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toBeUndefined();
  });
});
