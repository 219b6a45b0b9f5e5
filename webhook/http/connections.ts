import type {Server} from 'node:https';
import type {Socket} from 'node:net';
import type {Clock} from '../../adapters/clock.js';

export interface Connections {
  open(): number;
  busy(): number;
  /** Ends connections that serve nothing and were silent for `ms`. */
  closeSilent(ms: number): void;
  /** Ends connections that serve nothing now. */
  closeIdle(): void;
  destroyAll(): void;
}

interface State {
  requests: number;
  lastUse: number;
}

/** Knows which connections serve a request, and since when the others have not. */
export function trackConnections(server: Server, clock: Clock): Connections {
  const states = new Map<Socket, State>();
  /** Below TLS, handshakes under way included: what has to go for the listener to close. */
  const transports = new Set<Socket>();
  server.on('connection', socket => {
    transports.add(socket);
    socket.once('close', () => transports.delete(socket));
  });
  server.on('secureConnection', socket => {
    states.set(socket, {requests: 0, lastUse: clock.monotonic()});
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
  const endWhere = (wanted: (state: State) => boolean) => {
    for (const [socket, state] of states) if (state.requests === 0 && wanted(state)) socket.destroySoon();
  };
  return {
    open: () => states.size,
    busy: () => [...states.values()].filter(state => state.requests > 0).length,
    closeSilent: ms => endWhere(state => clock.monotonic() - state.lastUse >= ms),
    closeIdle: () => endWhere(() => true),
    destroyAll: () => {
      for (const socket of [...states.keys(), ...transports]) socket.destroy();
    },
  };
}
