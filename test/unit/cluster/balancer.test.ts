import {once} from 'node:events';
import {connect, createServer, type Server, type Socket} from 'node:net';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {type Backend, type Balancer, startBalancer} from '../../cluster/balancer.js';

let balancer: Balancer;
let replicas: Replica[] = [];

interface Replica extends Backend {
  readonly server: Server;
  readonly sockets: Socket[];
}

/** Answers every line with its name. */
async function replica(name: string): Promise<Replica> {
  const sockets: Socket[] = [];
  const server = createServer({allowHalfOpen: true}, socket => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(name));
    socket.on('end', () => socket.end('bye'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {host: '127.0.0.1', port: (server.address() as {port: number}).port, server, sockets};
}

async function open(): Promise<Socket> {
  const socket = connect({host: '127.0.0.1', port: balancer.port, allowHalfOpen: true});
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket): Promise<string> {
  socket.write('?');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

beforeEach(async () => {
  balancer = await startBalancer({port: 0});
  replicas = [await replica('a'), await replica('b')];
  balancer.setBackends(replicas);
});

afterEach(async () => {
  await balancer.stop();
  for (const {server, sockets} of replicas) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

describe('the balancer', () => {
  it('takes turns', async () => {
    const answers = [];
    for (let index = 0; index < 4; index++) answers.push(await ask(await open()));
    expect(answers).toEqual(['a', 'b', 'a', 'b']);
    expect(balancer.accepted(replicas[0]!.port)).toBe(2);
  });

  it('keeps an open connection on a replica that was taken out, and sends new ones elsewhere', async () => {
    const first = await open();
    expect(await ask(first)).toBe('a');
    balancer.setBackends([replicas[1]!]);
    expect(await ask(await open())).toBe('b');
    expect(await ask(await open())).toBe('b');
    expect(await ask(first)).toBe('a');
    expect(balancer.connections(replicas[0]!.port)).toBe(1);
    expect(balancer.connections()).toBe(3);
  });

  it('passes on the end of one direction while the other goes on', async () => {
    const socket = await open();
    await ask(socket);
    const rest = once(socket, 'data');
    socket.end();
    expect(String((await rest)[0])).toBe('bye');
  });

  it('resets the client when its replica dies', async () => {
    const socket = await open();
    await ask(socket);
    const failed = new Promise<NodeJS.ErrnoException>(resolve => socket.once('error', resolve));
    replicas[0]!.sockets[0]!.resetAndDestroy();
    expect((await failed).code).toBe('ECONNRESET');
  });

  it('resets new connections while no replica is ready', async () => {
    balancer.setBackends([]);
    const socket = connect({host: '127.0.0.1', port: balancer.port});
    const failed = new Promise<NodeJS.ErrnoException>(resolve => socket.once('error', resolve));
    expect((await failed).code).toBe('ECONNRESET');
    expect(balancer.connections()).toBe(0);
  });

  it('names the port that another program holds', async () => {
    await expect(startBalancer({port: balancer.port})).rejects.toThrow(`:${balancer.port} is taken by another program`);
  });

  it('listens on loopback only', async () => {
    await expect(startBalancer({port: 0, host: '0.0.0.0'})).rejects.toThrow('loopback only');
  });
});
