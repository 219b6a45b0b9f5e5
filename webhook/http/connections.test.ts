import {EventEmitter} from 'node:events';
import type {Server} from 'node:https';
import {describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {trackConnections} from './connections.js';

class Wire extends EventEmitter {
  bytesRead = 0;
  ended = false;
  destroySoon(): void {
    this.ended = true;
    this.emit('close');
  }
  destroy(): void {
    this.destroySoon();
  }
}

function setUp() {
  const clock = createManualClock();
  const server = new EventEmitter();
  const connections = trackConnections(server as unknown as Server, clock);
  const open = () => {
    const transport = new Wire();
    const secure = new Wire();
    secure.once('close', () => transport.emit('close'));
    server.emit('connection', transport);
    server.emit('secureConnection', secure);
    return secure;
  };
  const begin = (socket: Wire) => {
    const response = new EventEmitter();
    server.emit('request', {socket}, response);
    return () => response.emit('close');
  };
  return {clock, server, connections, open, begin};
}

describe('connections', () => {
  it('are ended once they were silent long enough', () => {
    const {clock, connections, open} = setUp();
    const socket = open();
    clock.advance(999);
    connections.closeSilent(1000);
    expect([socket.ended, connections.open()]).toEqual([false, 1]);
    clock.advance(1);
    connections.closeSilent(1000);
    expect([socket.ended, connections.open()]).toEqual([true, 0]);
  });

  it('are spared while they serve a request, and for a while after', () => {
    const {clock, connections, open, begin} = setUp();
    const socket = open();
    const finish = begin(socket);
    clock.advance(5000);
    connections.closeSilent(1000);
    expect(socket.ended).toBe(false);
    finish();
    clock.advance(500);
    connections.closeSilent(1000);
    expect(socket.ended).toBe(false);
    clock.advance(500);
    connections.closeSilent(1000);
    expect(socket.ended).toBe(true);
  });

  it('are spared while the bytes of a request arrive', () => {
    const {clock, connections, open} = setUp();
    const socket = open();
    for (let look = 0; look < 5; look++) {
      socket.bytesRead += 10;
      clock.advance(1000);
      connections.closeSilent(1000);
      expect(socket.ended).toBe(false);
    }
    clock.advance(1000);
    connections.closeSilent(1000);
    expect(socket.ended).toBe(true);
  });

  it('count from the first byte of a handshake on and can all be ended', () => {
    const {server, connections, open} = setUp();
    const raw = new Wire();
    server.emit('connection', raw);
    const socket = open();
    expect(connections.open()).toBe(2);
    connections.destroyAll();
    expect([raw.ended, socket.ended, connections.open()]).toEqual([true, true, 0]);
  });
});
