import type {Server} from 'node:https';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import type {Clock} from '../../adapters/clock.js';

export interface Connections {
  /** Handshakes under way included. */
  open(): number;
  /** Ends connections that serve nothing and were silent for `ms`; counts from the first look on. */
  closeSilent(ms: number): void;
  destroyAll(): void;
}

interface State {
  requests: number;
  lastUse: number;
  /** At the last look: a request of which only a part has arrived shows in no other way. */
  bytesRead: number;
}

/** Knows which connections serve a request, and since when the others have not. */
export function trackConnections(server: Server, clock: Clock): Connections {
  const states = new Map<Socket, State>();
  /** Below TLS, handshakes under way included: what has to go for the listener to close. */
  const transports = new Set<Duplex>();
  server.on('connection', socket => {
    transports.add(socket);
    socket.once('close', () => transports.delete(socket));
  });
  server.on('secureConnection', socket => {
    states.set(socket, {requests: 0, lastUse: clock.monotonic(), bytesRead: 0});
    socket.once('close', () => states.delete(socket));
  });
  server.prependListener('request', (request, response) => {
    const state = states.get(request.socket);
    if (state === undefined) return;
    state.requests++;
    response.once('close', () => {
      state.requests--;
      state.lastUse = clock.monotonic();
    });
  });
  return {
    open: () => transports.size,
    closeSilent: ms => {
      const now = clock.monotonic();
      for (const [socket, state] of states) {
        if (socket.bytesRead !== state.bytesRead) {
          state.bytesRead = socket.bytesRead;
          state.lastUse = now;
        } else if (state.requests === 0 && now - state.lastUse >= ms) socket.destroySoon();
      }
    },
    destroyAll: () => {
      for (const socket of [...states.keys(), ...transports]) socket.destroy();
    },
  };
}
