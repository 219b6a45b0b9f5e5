import {afterEach, beforeEach, describe, expect, it, vi} from 'vitest';
import {answer} from '../../adapters/kube/testing/api-server.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

const lookup = 'context: [{name: found, apiCall: {urlPath: /api/v1/namespaces/far/configmaps, jmesPath: "length(items)"}}]\n      preconditions: {all: [{key: "{{ found }}", operator: GreaterThan, value: 3}]}';
const rule = (name: string, more: string, action: string) => `
    - name: ${name}
      match: {any: [{resources: {kinds: [Namespace]}}]}
      ${more}
      ${action}`;
const made = (name: string, more = '') =>
  rule(name, more, `generate: {synchronize: true, apiVersion: v1, kind: ConfigMap, name: ${name}, namespace: "{{ request.object.metadata.name }}", data: {data: {a: b}}}`);
const changed = (name: string, more = '') =>
  rule(name, more, `mutate: {targets: [{apiVersion: v1, kind: ConfigMap, namespace: base, name: target}], patchStrategicMerge: {data: {${name}: done}}}`);
const policy = (...rules: string[]) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: one}
spec:
  applyRules: One
  rules:${rules.join('')}
`;

let world: BackgroundWorld;
let isAway: boolean;
let refused: number;

async function begin(lead: boolean): Promise<void> {
  world = await createBackgroundWorld({lead});
  world.server.intercept = ({path}, response) => {
    if (!isAway || !path.includes('/namespaces/far/')) return false;
    refused += 1;
    answer(response, {kind: 'Status', status: 'Failure', code: 500, message: 'away'}, 500);
    return true;
  };
}
beforeEach(() => {
  isAway = true;
  refused = 0;
});
afterEach(() => world.close());

/** Rules of each request, sorted. */
function asked(): string[] {
  const rulesOf = (request: JsonObject) => {
    const contexts = ownPath(request, 'spec', 'ruleContext');
    return Array.isArray(contexts) ? contexts.map(context => String(ownPath(context, 'rule'))).join('+') : String(ownPath(request, 'spec', 'rule'));
  };
  return world.requests().map(rulesOf).sort();
}

describe('a policy of which one rule is applied, while a lookup has no answer', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[], readonly string[]]> = [
    ['asks for one of two changes, never for both', [changed('m1', lookup), changed('m2')], ['m1']],
    ['asks for no change behind what may be made', [made('g1', lookup), changed('m2'), made('g3')], ['g1']],
    ['asks for nothing behind what may be changed', [changed('m1', lookup), made('g2')], ['m1']],
    ['asks for what may be made instead', [made('g1', lookup), made('g2', lookup), made('g3'), made('g4')], ['g1+g2+g3']],
    ['asks for no rule that is about other requests', [made('g1', lookup), made('g2').replace('[Namespace]', '[Namespace], operations: [UPDATE]'), made('g3')], ['g1+g3']],
  ];
  it.each(cases)('%s', async (_name, rules, expected) => {
    await begin(false);
    world.policy(policy(...rules));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    expect(asked()).toEqual(expected);
  });

  it('keeps what a later rule has made', async () => {
    await begin(true);
    isAway = false;
    world.policy(policy(made('g1', lookup), made('g2')));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    await world.settled();
    const before = ownPath(world.get('api/v1/configmaps', 'shop/g2'), 'metadata', 'uid');
    expect(before).toBeTypeOf('string');
    isAway = true;
    await world.update('api/v1/namespaces', namespaceObject('shop', {changed: 'yes'}));
    const told = refused;
    await vi.waitFor(() => expect(refused).toBeGreaterThan(told + 1), {timeout: 10_000});
    isAway = false;
    await world.settled();
    expect(world.writes().filter(write => write.startsWith('DELETE') && write.endsWith('/g2'))).toEqual([]);
    expect(ownPath(world.get('api/v1/configmaps', 'shop/g2'), 'metadata', 'uid')).toBe(before);
  });
});
