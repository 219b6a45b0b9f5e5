import {connect, createServer, type Socket} from 'node:net';

/** A TCP relay on 127.0.0.1 that can be told to fail. */
export interface TcpProxy {
  readonly port: number;
  readonly connections: number;
  /** New connections are reset until `pass`. */
  refuse(): void;
  pass(): void;
  /** Resets every open connection. */
  cut(): void;
  /** Open connections stay open, but nothing comes through any more; new ones are not concerned. */
  stall(): void;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
}

export async function startTcpProxy(target: {readonly host: string; readonly port: number}): Promise<TcpProxy> {
  const links = new Set<Link>();
  let refusing = false;

  const server = createServer({noDelay: true}, client => {
    client.on('error', () => client.destroy());
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({...target, noDelay: true});
    const link: Link = {client, upstream};
    links.add(link);
    upstream.on('error', () => upstream.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
    upstream.once('close', () => client.destroy());
    client.once('close', () => {
      links.delete(link);
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as {port: number}).port,
    get connections() {
      return links.size;
    },
    refuse() {
      refusing = true;
    },
    pass() {
      refusing = false;
    },
    cut() {
      for (const {client} of links) client.resetAndDestroy();
    },
    stall() {
      for (const {client, upstream} of links) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        // What the other side does is not passed on either: that is what makes it half open.
        upstream.removeAllListeners('close');
        upstream.resume();
        client.resume();
      }
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve));
      for (const {client} of links) client.destroy();
      await closed;
    },
  };
}
