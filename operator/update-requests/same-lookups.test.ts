import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {answer} from '../../adapters/kube/testing/api-server.js';
import {ownPath} from '../../engine/json/types.js';
import {createLookupGroups} from './same-lookups.js';
import {type BackgroundWorld, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

const policy = (name: string, where: string, jmesPath: string, more: number) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
    - name: made
      match: {any: [{resources: {kinds: [Namespace]}}]}
      context: [{name: ${name}, apiCall: {urlPath: /api/v1/namespaces/${where}/configmaps, jmesPath: "${jmesPath}"}}]
      preconditions: {all: [{key: "{{ ${name} }}", operator: GreaterThan, value: ${more}}]}
      generate: {apiVersion: v1, kind: ConfigMap, name: ${name}, namespace: "{{ request.object.metadata.name }}", data: {data: {a: b}}}
`;

describe('policies that a request triggers', () => {
  let world: BackgroundWorld;
  let asked: string[];
  let missing: string;
  beforeEach(async () => {
    asked = [];
    missing = '';
    world = await createBackgroundWorld({lead: false, requestMs: 60_000});
    world.server.intercept = ({method, path}, response) => {
      const [, where = ''] = /^\/api\/v1\/namespaces\/(near|far)\//.exec(path) ?? [];
      if (method !== 'GET' || where === '') return false;
      asked.push(where);
      if (where === missing) return answer(response, {kind: 'Status', status: 'Failure', code: 403, message: 'no'}, 403);
      return answer(response, {items: [{}, {}, {}, {}]});
    };
  });
  afterEach(() => world.close());

  const stored = () => world.requests().map(request => String(ownPath(request, 'spec', 'policy'))).sort();

  it('ask once for what several of them look up, and each makes of it what it will', async () => {
    world.policy(policy('a', 'near', 'length(items)', 3));
    world.policy(policy('b', 'near', 'length(items)', 9));
    world.policy(policy('c', 'near', 'length(@.items)', 2));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    expect([asked, stored()]).toEqual([['near'], ['a', 'c']]);
  });

  it('share no error with those that look up something else', async () => {
    missing = 'far';
    world.policy(policy('a', 'near', 'length(items)', 9));
    world.policy(policy('b', 'far', 'length(items)', 9));
    world.policy(policy('c', 'far', 'length(items)', 9));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    // What cannot be told is found out in the background.
    expect([asked.sort(), stored()]).toEqual([['far', 'near'], ['b', 'c']]);
  });
});

describe('groups of policies by what they look up', () => {
  const named = (text: string, namespace = '') => ({name: text, ref: {namespace}, lookups: text === '' ? [] : text.split(' ')});
  type Named = ReturnType<typeof named>;
  const cases: ReadonlyArray<readonly [string, readonly Named[], ReadonlyArray<readonly string[]>]> = [
    ['take the same, in whatever order', [named('a b'), named('c'), named('b a')], [['a b', 'b a'], ['c']]],
    ['take none that waits for less', [named('a'), named('a b')], [['a'], ['a b']]],
    ['take none that looks nothing up', [named(''), named('')], [[''], ['']]],
    ['take none of another namespace', [named('a'), named('a', 'n'), named('a', 'n')], [['a'], ['a', 'a']]],
  ];
  it.each(cases)('%s', (_name, policies, expected) => {
    const groupsOf = createLookupGroups<Named>(({lookups}) => lookups);
    expect(groupsOf(policies).map(group => group.map(({name}) => name))).toEqual(expected);
  });
});
