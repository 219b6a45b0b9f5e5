import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {answer} from '../../adapters/kube/testing/api-server.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

let world: BackgroundWorld;
let unhang: Array<() => void>;
beforeEach(async () => {
  world = await createBackgroundWorld({lead: false});
  unhang = [];
  world.server.intercept = ({path}, response) => {
    if (!path.includes('/namespaces/slow/')) return false;
    unhang.push(() => answer(response, {items: []}));
    return true;
  };
});
afterEach(() => {
  for (const end of unhang) end();
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
    world.policy(policy('a', 'background: true', rule('a1', waiting), rule('a2', waiting)));
    world.policy(policy('b', 'background: true', rule('b1')));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    expect(stored()).toEqual({a: ['a1', 'a2'], b: ['b1']});
    expect(world.events.filter(({reason}) => reason === 'PolicyError')).toEqual([]);
  });

  it('leaves the choice among its rules to the background where one of them is to be applied', async () => {
    world.policy(policy('a', 'applyRules: One', rule('a1', waiting), rule('a2')));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    expect(stored()).toEqual({a: ['a1', 'a2']});
  });

  it('keeps no work of others waiting', async () => {
    world.policy(policy('a', 'background: true', rule('a1', waiting)));
    world.policy(policy('b', 'background: true', rule('b1')));
    const seen: Array<Record<string, unknown>> = [];
    const {intercept} = world.server;
    world.server.intercept = (request, response) => {
      if (request.method === 'POST' && request.path.endsWith('/updaterequests')) seen.push(stored());
      return intercept?.(request, response) ?? false;
    };
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    // That of the quick one is there when that of the slow one comes.
    expect(seen).toEqual([{}, {b: ['b1']}]);
  });
});
