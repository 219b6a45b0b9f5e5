import {afterEach, describe, expect, it, vi} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {answer} from '../../adapters/kube/testing/api-server.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

let world: BackgroundWorld;
const unhang: Array<() => void> = [];

async function begin(requestMs: number): Promise<void> {
  // It stands still: what a lookup has waited for is not taken from the time to store the work.
  const now = Date.now();
  world = await createBackgroundWorld({lead: false, requestMs, clock: {...systemClock, now: () => now}});
  world.server.intercept = ({path}, response) => {
    if (!path.includes('/namespaces/slow/')) return false;
    unhang.push(() => answer(response, {items: []}));
    return true;
  };
}
function endLookups(): void {
  for (const end of unhang.splice(0)) end();
}
afterEach(() => {
  endLookups();
  return world.close();
});

const waiting = 'context: [{name: found, apiCall: {urlPath: /api/v1/namespaces/slow/configmaps, jmesPath: "length(items)"}}]\n      preconditions: {all: [{key: "{{ found }}", operator: GreaterThan, value: 3}]}';
const rule = (name: string, more = '') => `
    - name: ${name}
      match: {any: [{resources: {kinds: [Namespace]}}]}
      ${more}
      generate: {apiVersion: v1, kind: ConfigMap, name: ${name}, namespace: "{{ request.object.metadata.name }}", data: {data: {a: b}}}`;
const policy = (name: string, spec: string, ...rules: string[]) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  ${spec}
  rules:${rules.join('')}
`;

/** Rules by policy. */
function stored(): Record<string, unknown> {
  return Object.fromEntries(world.requests().map(request => [ownPath(request, 'spec', 'policy'), (ownPath(request, 'spec', 'ruleContext') as JsonObject[]).map(context => context['rule'])]));
}

describe('a policy whose lookup has no answer in time', () => {
  it("loses nobody's work, its own neither", async () => {
    await begin(1_500);
    world.policy(policy('a', 'background: true', rule('a1', waiting), rule('a2', waiting)));
    world.policy(policy('b', 'background: true', rule('b1')));
    world.policy(policy('c', 'background: true', rule('c1', waiting)));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    expect(stored()).toEqual({a: ['a1', 'a2'], b: ['b1'], c: ['c1']});
    expect(world.events.filter(({reason}) => reason === 'PolicyError')).toEqual([]);
  });

  it('leaves the choice among its rules to the background where one of them is to be applied', async () => {
    await begin(1_500);
    world.policy(policy('a', 'applyRules: One', rule('a1', waiting), rule('a2')));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    expect(stored()).toEqual({a: ['a1', 'a2']});
  });

  it('keeps no work of others waiting', async () => {
    await begin(60_000);
    world.policy(policy('a', 'background: true', rule('a1', waiting)));
    world.policy(policy('b', 'background: true', rule('b1')));
    const created = world.create('api/v1/namespaces', namespaceObject('shop'));
    await vi.waitFor(() => expect([unhang.length, stored()]).toEqual([1, {b: ['b1']}]), {timeout: 10_000});
    endLookups();
    await created;
    // The slow one had its answer: it was waited for all the time.
    expect(stored()).toEqual({b: ['b1']});
  });
});
