import {afterEach, beforeEach, expect, it} from 'vitest';
import {answer} from '../../adapters/kube/testing/api-server.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {ownPath} from '../../engine/json/types.js';
import {existingObjectRequest} from '../requests/existing-object.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {expectingCreator} from './expecting-creator.js';
import {createRequestCreator, type RequestCreator} from './request-creator.js';
import {namespaceObject} from './testing/background-world.js';
import type {NewUpdateRequest} from './update-request.js';

const collection = 'apis/kyverno.io/v2/updaterequests';
const none = {size: 0, get: () => undefined, keys: () => [].values(), objects: () => [].values(), inNamespace: () => [], byIndex: () => []};

let test: TestCore;
let expected: Set<string>;
let creator: RequestCreator;
beforeEach(async () => {
  test = await createTestCore();
  expected = new Set();
  creator = expectingCreator(createRequestCreator(test.core, () => none), {
    works: () => true,
    expect: (uid, work) => void expected.add(`${uid} ${work}`),
    over: work => void expected.delete(`u1 ${work}`),
  });
});
afterEach(() => test.close());

const [kind] = builtinResourceMap.find('Namespace');
function work(rule: string): NewUpdateRequest {
  const request = {...existingObjectRequest(namespaceObject('shop'), kind!, 'CREATE'), uid: rule};
  const trigger = {apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop', uid: 'u1'};
  return {namespace: 'kyverno', type: 'generate', policy: 'p', rules: [rule], trigger, deleteDownstream: false, synchronize: false, request, kept: {}, repeats: false};
}
const deadline = () => ({deadline: Date.now() + 10_000});
const names = () => test.server.objects(collection).map(object => `u1 ${String(ownPath(object, 'metadata', 'name'))}`);

it('has the report wait for work under the names that it is stored under, beside other work too', async () => {
  expect(await creator.create(work('r1'), deadline())).toBe(true);
  expect(await creator.create(work('r2'), deadline())).toBe(true);
  expect(names()).toHaveLength(2);
  expect([...expected].sort()).toEqual(names().sort());
});

it('waits for nothing that could not be stored', async () => {
  await creator.create(work('r1'), deadline());
  const before = [...expected];
  let tries = 0;
  test.server.intercept = ({method, path}, response) => {
    if (method !== 'POST' || !path.endsWith('/updaterequests') || (tries += 1) === 1) return false;
    return answer(response, {kind: 'Status', status: 'Failure', code: 422, message: 'no'}, 422);
  };
  expect(await creator.create(work('r2'), deadline())).toBe(false);
  expect(tries).toBe(2);
  expect([...expected]).toEqual(before);
});
