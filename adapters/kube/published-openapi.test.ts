import {describe, expect, it} from 'vitest';
import type {Json} from '../../engine/json/types.js';
import {systemClock} from '../clock.js';
import {KubeError} from './kube-error.js';
import {createPublishedOpenApi} from './published-openapi.js';

function world(answers: Array<Json | KubeError>) {
  let now = 0;
  const asked: string[] = [];
  const published = createPublishedOpenApi({
    client: {
      request({path}) {
        asked.push(path);
        const body = answers.shift()!;
        return body instanceof KubeError ? Promise.reject(body) : Promise.resolve({status: 200, body, text: ''});
      },
    },
    clock: {...systemClock, monotonic: () => now},
    timeoutMs: 1000,
  });
  return {published, asked, pass: (ms: number) => (now += ms)};
}

const failure = (status: number) => new KubeError({status, reason: 'x', message: 'x'});

describe('published OpenAPI', () => {
  it('is read once while it is fresh, by group and version', async () => {
    const {published, asked} = world([{a: 1}, {b: 2}]);
    const [first, second] = await Promise.all([published('v1'), published('v1')]);
    expect(first).toEqual({a: 1});
    expect(second).toBe(first);
    expect(published('v1')).toBe(first);
    await published('apps/v1');
    expect(asked).toEqual(['/openapi/v3/api/v1', '/openapi/v3/apis/apps/v1']);
  });

  it('is none where the server has none', async () => {
    const {published} = world([failure(404)]);
    expect(await published('acme.io/v1')).toBeUndefined();
    expect(published('acme.io/v1')).toBeUndefined();
  });

  it('stays what it was when it cannot be read again, and is an error when it never was', async () => {
    const {published, pass} = world([{a: 1}, failure(500), failure(500)]);
    await published('v1');
    pass(10 * 60_000);
    expect(await published('v1')).toEqual({a: 1});
    await expect(published('apps/v1')).rejects.toThrow('failed to read the OpenAPI document of apps/v1');
  });
});
