import {afterEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createHttpCaller} from '../../adapters/http/http-caller.js';
import {createNameLookup} from '../../adapters/http/name-lookup.js';
import {createServiceCaller} from '../../adapters/http/service-caller.js';
import {type HostileServer, startHostileServer} from './support/hostile-server.js';

/** A server that a policy names is handed the operator's own token. */
const servers: HostileServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

async function server(answer: Parameters<typeof startHostileServer>[0] = (_, response) => response.end('{}')): Promise<HostileServer> {
  const started = await startHostileServer(answer);
  servers.push(started);
  return started;
}

const lookup = createNameLookup({resolve: async () => ['127.0.0.1']});
const allow = ['127.0.0.1', 'first.example', 'second.example'];
const until = () => systemClock.now() + 10_000;
const own: ReadonlyArray<readonly [string, string]> = [['authorization', 'Bearer of-the-policy']];

describe('calls that policies make', () => {
  it('carry no credentials but those that the policy writes', async () => {
    const {host, requests} = await server();
    await createServiceCaller({clock: systemClock, lookup, allow})({method: 'GET', url: `http://${host}/`, headers: []}, until());
    await createHttpCaller({clock: systemClock, lookup, allow})({method: 'GET', url: `http://${host}/`, headers: []}, until());
    expect(requests.map(({authorization}) => authorization)).toEqual([undefined, undefined]);
  });

  it('show what they carry: the policy has its own header sent', async () => {
    const {host, requests} = await server();
    await createServiceCaller({clock: systemClock, lookup, allow})({method: 'GET', url: `http://${host}/`, headers: own}, until());
    expect(requests.map(({authorization}) => authorization)).toEqual(['Bearer of-the-policy']);
  });

  it('leave that header behind when a redirect leads to another host', async () => {
    const second = await server();
    const first = await server((_, response) => response.writeHead(307, {location: `http://second.example:${second.port}/`}).end());
    await createHttpCaller({clock: systemClock, lookup, allow})({method: 'GET', url: `http://first.example:${first.port}/`, headers: own}, until());
    expect([first, second].map(({requests}) => requests[0]?.authorization)).toEqual(['Bearer of-the-policy', undefined]);
  });
});
