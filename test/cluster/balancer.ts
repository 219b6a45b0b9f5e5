import {lookup} from 'node:dns/promises';
import {connect, createServer, type Server, type Socket} from 'node:net';

/** Where a replica listens. */
export interface Backend {
  readonly host: string;
  readonly port: number;
}

export interface BalancerOptions {
  /** Default 443: the port that the API server dials for a Service of type ExternalName. */
  readonly port?: number;
  /** Default `localhost`: every loopback address that it resolves to. */
  readonly host?: string;
}

/** Spreads new TCP connections over the ready replicas, like kube-proxy: an open connection stays where it is. */
export interface Balancer {
  readonly port: number;
  /** The replicas that get new connections from now on; without any, connections are reset. */
  setBackends(backends: readonly Backend[]): void;
  readonly backends: readonly Backend[];
  /** Open connections now, all or those to one backend port. */
  connections(port?: number): number;
  /** Connections accepted so far, by backend port. */
  accepted(port: number): number;
  /** Cuts all connections and frees the port. */
  stop(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly port: number;
}

/** Throws an Error with a hint when the port is taken or not ours to take. */
export async function startBalancer({port = 443, host = 'localhost'}: BalancerOptions = {}): Promise<Balancer> {
  const addresses = [...new Set((await lookup(host, {all: true})).map(({address}) => address))];
  const foreign = addresses.find(address => !/^127\.|^::1$/.test(address));
  if (foreign !== undefined) throw new Error(`the balancer listens on loopback only, ${host} is ${foreign}`);
  const links = new Set<Link>();
  const accepted = new Map<number, number>();
  let backends: readonly Backend[] = [];
  let next = 0;

  function accept(client: Socket): void {
    const backend = backends[next++ % Math.max(backends.length, 1)];
    if (backend === undefined) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    accepted.set(backend.port, (accepted.get(backend.port) ?? 0) + 1);
    const upstream = connect({...backend, allowHalfOpen: true, noDelay: true});
    const link = {client, upstream, port: backend.port};
    links.add(link);
    join(client, upstream);
    join(upstream, client);
    client.once('close', () => links.delete(link));
  }

  const servers: Server[] = [];
  const stop = async () => {
    const closed = servers.map(server => new Promise(resolve => server.close(resolve)));
    for (const {client, upstream} of links) {
      client.destroy();
      upstream.destroy();
    }
    await Promise.all(closed);
  };
  try {
    for (const address of addresses) {
      const server = createServer({allowHalfOpen: true, noDelay: true}, accept);
      if (!(await listen(server, address, port))) continue;
      servers.push(server);
      port = (server.address() as {port: number}).port;
    }
    if (servers.length === 0) throw new Error(`the balancer found no loopback address for ${host}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    setBackends(list) {
      backends = [...list];
    },
    get backends() {
      return backends;
    },
    connections: backendPort =>
      [...links].filter(link => backendPort === undefined || link.port === backendPort).length,
    accepted: backendPort => accepted.get(backendPort) ?? 0,
    stop,
  };
}

/** Passes bytes, the end of the stream and a broken connection on to the other side. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once('error', () => to.resetAndDestroy());
  from.once('close', () => {
    if (!to.writableEnded) to.destroy();
  });
}

/** False when this machine lacks the address family that its hosts file names. */
function listen(server: Server, host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const code = cause.code ?? '';
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return resolve(false);
      const why: Readonly<Record<string, string>> = {
        EADDRINUSE: 'is taken by another program (another test cluster?)',
        EACCES: 'needs root or net.ipv4.ip_unprivileged_port_start=0',
      };
      reject(new Error(`balancer: ${host}:${port} ${why[code] ?? cause.message}`, {cause}));
    });
    server.listen({host, port, ipv6Only: host.includes(':')}, () => resolve(true));
  });
}
