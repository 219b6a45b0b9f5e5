import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
});
afterEach(() => world.close());

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';

const generating = (evaluation: string, level = 'info') => `
apiVersion: policies.kyverno.io/v1beta1
kind: GeneratingPolicy
metadata: {name: defaults}
spec:
  evaluation: ${evaluation}
  matchConstraints:
    resourceRules:
      - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [namespaces]}
  matchConditions:
    - {name: red, expression: "object.metadata.?labels.?team.orValue('') == 'red'"}
  generate:
    - template:
        interpolate: cel
        value: |
          apiVersion: v1
          kind: ConfigMap
          metadata: {name: defaults, namespace: (( object.metadata.name ))}
          data: {level: ${level}}
`;
const synced = '{synchronize: {enabled: true}}';

describe('a GeneratingPolicy', () => {
  it('makes its objects, labelled as others look for them', async () => {
    world.celPolicy(generating('{}'));
    await world.create(namespaces, namespaceObject('shop', {team: 'red'}));
    await world.create(namespaces, namespaceObject('other', {team: 'blue'}));
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toMatchObject({
      data: {level: 'info'},
      metadata: {labels: {'app.kubernetes.io/managed-by': 'kyverno', 'generate.kyverno.io/policy-name': 'defaults', 'generate.kyverno.io/trigger-name': 'shop', 'generate.kyverno.io/trigger-kind': 'Namespace'}},
    });
    expect(world.get(configMaps, 'other/defaults')).toBeUndefined();
    expect(world.writes()).toHaveLength(3);
  });

  it('tells what came of it for the report of its trigger: that it was done, or what stands against it', async () => {
    const told: string[] = [];
    world.core.findings.subscribe(({subject, rule, status, message}) => told.push(`${subject.name} ${rule} ${status}: ${message}`));
    world.celPolicy(generating('{}'));
    world.celPolicy(generating('{}').replace('{name: defaults}', '{name: broken}').replace('kind: ConfigMap', 'kind: Nowhere'));
    await world.create(namespaces, namespaceObject('shop', {team: 'red'}));
    await eventually(() => told.some(text => text.includes('pass')) && told.some(text => text.includes('error')));
    expect(told).toContainEqual('shop defaults pass: policy evaluated successfully');
    expect(told).toContainEqual(expect.stringMatching(/^shop broken error: .*no kind Nowhere/));
  });

  it('applies what it made at each request that triggers it, where it says so, and leaves what others added', async () => {
    world.celPolicy(generating('{}').replace('spec:', 'spec:\n  useServerSideApply: true'));
    await world.create(namespaces, namespaceObject('shop', {team: 'red'}));
    await world.settled();
    const made = world.get(configMaps, 'shop/defaults')!;
    await world.update(configMaps, {...made, data: {level: 'debug', more: 'x'}});
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/defaults'), 'data')).toEqual({level: 'debug', more: 'x'});
    await world.update(namespaces, namespaceObject('shop', {team: 'red', again: 'yes'}));
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/defaults'), 'data')).toEqual({level: 'info', more: 'x'});
  });

  it('keeps them in step: with users, with itself, with the trigger, to the end', async () => {
    world.celPolicy(generating(synced));
    await world.create(namespaces, namespaceObject('shop', {team: 'red'}));
    await world.settled();
    const made = world.get(configMaps, 'shop/defaults')!;
    await world.update(configMaps, {...made, data: {level: 'debug', more: 'x'}});
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/defaults'), 'data')).toEqual({level: 'info'});
    await world.remove(configMaps, 'shop/defaults');
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/defaults'), 'data')).toEqual({level: 'info'});
    world.celPolicy(generating(synced, 'warn'), {generation: 2});
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/defaults'), 'data')).toEqual({level: 'warn'});
    await world.update(namespaces, namespaceObject('shop', {team: 'blue'}));
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toBeUndefined();
  });

  it('takes them along when it goes, unless they are to stay', async () => {
    world.celPolicy(generating(synced));
    await world.create(namespaces, namespaceObject('shop', {team: 'red'}));
    await world.settled();
    world.dropCelPolicy('GeneratingPolicy', 'defaults');
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toBeUndefined();
    world.celPolicy(generating('{synchronize: {enabled: true}, generateExisting: {enabled: true}, orphanDownstreamOnPolicyDelete: {enabled: true}}'));
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toBeDefined();
    world.dropCelPolicy('GeneratingPolicy', 'defaults');
    await world.settled();
    expect(world.get(configMaps, 'shop/defaults')).toMatchObject({data: {level: 'info'}});
  });

  it('copies what it reads, and follows that', async () => {
    world.server.put(configMaps, configMap('base', 'origin', {v: '1'}));
    world.celPolicy(`
apiVersion: policies.kyverno.io/v1beta1
kind: GeneratingPolicy
metadata: {name: copies}
spec:
  evaluation: ${synced}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [namespaces]}]}
  variables:
    - {name: source, expression: "resource.Get('v1', 'configmaps', 'base', 'origin')"}
  generate:
    - {expression: "generator.Apply(object.metadata.name, [variables.source])"}
`);
    // What it reads and makes is not known until it works.
    await world.settled();
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(world.get(configMaps, 'shop/origin')).toMatchObject({data: {v: '1'}});
    await world.update(configMaps, configMap('base', 'origin', {v: '2'}));
    await world.settled();
    expect(world.get(configMaps, 'shop/origin')).toMatchObject({data: {v: '2'}});
    await world.remove(configMaps, 'base/origin');
    await world.settled();
    expect(world.get(configMaps, 'shop/origin')).toBeUndefined();
  });
});

describe('a MutatingPolicy for existing objects', () => {
  const marking = (evaluation: string) => `
apiVersion: policies.kyverno.io/v1beta1
kind: MutatingPolicy
metadata: {name: marks}
spec:
  evaluation: ${evaluation}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [namespaces]}]}
  targetMatchConstraints:
    expression: "resource.List('v1', 'configmaps', object.metadata.name)"
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: Object.metadata.labels{marked: 'yes'}}}"}
`;

  it('changes them for a trigger, once', async () => {
    world.server.put(configMaps, configMap('shop', 'a', {}));
    world.celPolicy(marking('{mutateExisting: {enabled: false}}'));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/a'), 'metadata', 'labels', 'marked')).toBe('yes');
    const before = world.writes().length;
    await world.update(namespaces, namespaceObject('shop', {x: 'y'}));
    await world.settled();
    expect(world.writes().slice(before).every(write => write.includes('updaterequests'))).toBe(true);
  });

  it('knows a trigger that went by the name of one that is there', async () => {
    world.server.put(configMaps, configMap('log', 'a', {}));
    world.celPolicy(marking('{mutateExisting: {enabled: false}}').replace('[CREATE, UPDATE]', '[DELETE]').replace('object.metadata.name)', "object.metadata.labels['log'])"));
    await world.create(namespaces, namespaceObject('shop', {log: 'log'}));
    await world.remove(namespaces, 'shop');
    await world.settled();
    expect(ownPath(world.get(configMaps, 'log/a'), 'metadata', 'labels', 'marked')).toBe('yes');
  });

  it('looks at triggers that are there when it comes', async () => {
    world.server.put(namespaces, namespaceObject('shop'));
    world.server.put(configMaps, configMap('shop', 'a', {}));
    world.celPolicy(marking('{mutateExisting: {enabled: true}}'));
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/a'), 'metadata', 'labels', 'marked')).toBe('yes');
  });

  it('finds the trigger that its conditions ask for, and changes it where it names no targets', async () => {
    for (const name of ['a', 'b']) world.server.put(configMaps, configMap('shop', name, {}));
    world.celPolicy(`
apiVersion: policies.kyverno.io/v1beta1
kind: MutatingPolicy
metadata: {name: own}
spec:
  evaluation: {admission: {enabled: false}, background: {enabled: false}, mutateExisting: {enabled: true}}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps], resourceNames: [b]}]
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: Object.metadata.labels{marked: "yes"}}}'}
`);
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/b'), 'metadata', 'labels', 'marked')).toBe('yes');
    expect(ownPath(world.get(configMaps, 'shop/a'), 'metadata', 'labels', 'marked')).toBeUndefined();
  });
});
