import {Readable} from 'node:stream';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createProfileServer, mainThread, type ProfileServer} from './profile-server.js';

describe('profiles', () => {
  let server: ProfileServer;
  let base: string;
  beforeEach(async () => {
    server = createProfileServer({
      main: {...mainThread, heap: () => Readable.from(['{"snapshot":', '{}}'])},
      other: {heap: () => Readable.from(['{}']), cpu: async milliseconds => `{"other":${milliseconds}}`},
    });
    await server.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${server.address()?.port}/debug/pprof`;
  });
  afterEach(() => server.close());

  it('of time are what V8’s tools read, and one at a time', async () => {
    const [first, second] = await Promise.all([fetch(`${base}/profile?seconds=0.3`), fetch(`${base}/profile?seconds=0.3`)]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    const made = first.status === 200 ? first : second;
    expect(made.headers.get('content-disposition')).toContain('.cpuprofile');
    const profile = (await made.json()) as {nodes: unknown[]; startTime: number; endTime: number};
    expect(profile.nodes.length).toBeGreaterThan(0);
    expect(profile.endTime).toBeGreaterThan(profile.startTime);
  });

  it('of memory are heap snapshots', async () => {
    const response = await fetch(`${base}/heap`);
    expect(response.headers.get('content-disposition')).toContain('.heapsnapshot');
    expect(await response.text()).toBe('{"snapshot":{}}');
  });

  it('are of the thread that is named', async () => {
    expect(await (await fetch(`${base}/profile?thread=other&seconds=2`)).text()).toBe('{"other":2000}');
    expect(await (await fetch(`${base}/heap?thread=other`)).text()).toBe('{}');
    const unknown = await fetch(`${base}/heap?thread=toString`);
    expect([unknown.status, await unknown.text()]).toEqual([400, 'thread is none of main, other']);
    expect(await (await fetch(`${base}/`)).text()).toContain('thread=NAME: main, other');
  });

  it.each([
    ['/', 'GET', 200],
    ['/other', 'GET', 404],
    ['/heap', 'POST', 405],
    ['/profile?seconds=0', 'GET', 400],
    ['/profile?seconds=1e9', 'GET', 400],
    ['/profile?seconds=x', 'GET', 400],
  ])('%s by %s answers %i', async (path, method, status) => {
    expect((await fetch(`${base}${path}`, {method})).status).toBe(status);
  });
});
