import {Agent} from 'node:https';
import {connect as connectTcp} from 'node:net';
import {connect} from 'node:tls';
import {afterEach, describe, expect, it} from 'vitest';
import type {ValidateResponse} from '../engine/types.js';
import {podReview, scriptedEngine, settle, startHarness, type Harness, type HarnessOptions} from './testing/harness.js';

const running: Harness[] = [];
afterEach(async () => {
  for (const harness of running.splice(0)) await harness.close();
});
async function start(options: HarnessOptions = {}): Promise<Harness> {
  const harness = await startHarness(options);
  running.push(harness);
  return harness;
}

describe('over the wire', () => {
  it.each([
    ['a GET of a webhook path', {path: '/validate', method: 'GET'}, 405, 'only POST'],
    ['an unknown path', {path: '/nothing', body: '{}'}, 404, 'no such path'],
    [
      'another media type',
      {path: '/validate', body: podReview(), headers: {'Content-Type': 'text/plain'}},
      415,
      'invalid Content-Type',
    ],
    [
      'a media type with a charset',
      {path: '/validate', body: podReview(), headers: {'Content-Type': 'application/json; charset=utf-8'}},
      415,
      'invalid Content-Type',
    ],
    ['an empty body', {path: '/validate', body: ''}, 417, 'unexpected end of JSON input'],
    ['no request', {path: '/validate', body: '{}'}, 400, 'AdmissionReview request is nil'],
    [
      'a policy kind of a later release',
      {path: '/vpol/a/b?timeout=10s', body: podReview()},
      501,
      'ValidatingPolicy a, b is not served by this release',
    ],
  ] as const)('%s is answered in plain text', async (_name, call, status, text) => {
    const harness = await start();
    const reply = await harness.call(call);
    expect([reply.status, reply.text]).toEqual([status, text]);
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('a path names thousands of policies', async () => {
    const harness = await start();
    const names = Array.from({length: 4000}, (_, index) => `policy-with-a-name-of-usual-length-${index}`);
    const reply = await harness.call({path: `/vpol/${names.join('/')}?timeout=10s`, body: podReview()});
    expect([reply.status, reply.text]).toEqual([501, `ValidatingPolicy ${names.join(', ')} is not served by this release`]);
  });

  it('a review is answered as JSON on a connection that is kept', async () => {
    const harness = await start();
    const agent = new Agent({keepAlive: true, maxSockets: 1, ca: harness.ca.cert});
    const ports = new Set<number | undefined>();
    agent.on('free', socket => ports.add(socket.localPort));
    for (let count = 0; count < 5; count++) {
      const reply = await harness.call({path: '/validate/fail?timeout=10s', body: podReview(), agent});
      expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      await settle(2);
    }
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  it('keeps an idle connection for longer than the API server does', async () => {
    const harness = await start();
    const reply = await harness.call({path: '/validate/fail', body: podReview()});
    const seconds = Number(/timeout=(\d+)/.exec(String(reply.headers['keep-alive']))![1]);
    expect(seconds).toBeGreaterThan(90);
  });

  it('a client that leaves in the middle of its body takes nothing with it', async () => {
    const harness = await start({limits: {maxInFlightBytes: 2000, maxInFlight: 1}});
    for (let count = 0; count < 5; count++) {
      const socket = connect({port: harness.port, host: '127.0.0.1', ca: harness.ca.cert});
      await new Promise(resolve => socket.once('secureConnect', resolve));
      socket.write(`POST /validate HTTP/1.1\r\nHost: x\r\nContent-Length: 1500\r\n\r\n${'x'.repeat(1000)}`);
      await settle();
      const closed = new Promise(resolve => socket.once('close', resolve));
      socket.destroy();
      await closed;
      await settle(50);
    }
    expect((await harness.review('/validate/fail')).allowed).toBe(true);
  });

  it('HTTP/1.1 is the only protocol offered and TLS 1.1 is refused', async () => {
    const harness = await start();
    const options = {port: harness.port, host: '127.0.0.1', ca: harness.ca.cert};
    const socket = connect({...options, ALPNProtocols: ['h2', 'http/1.1']});
    await new Promise(resolve => socket.once('secureConnect', resolve));
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.destroy();
    const old = connect({...options, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0'});
    await expect(
      new Promise((resolve, reject) => {
        old.once('secureConnect', resolve);
        old.once('error', reject);
      }),
    ).rejects.toThrow();
    const weak = connect({...options, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA'});
    await expect(
      new Promise((resolve, reject) => {
        weak.once('secureConnect', resolve);
        weak.once('error', reject);
      }),
    ).rejects.toThrow();
  });

  it('a body beyond the cap is answered 413, with and without announced length', async () => {
    const harness = await start({limits: {maxBodyBytes: 1000}});
    const body = podReview({padding: 'x'.repeat(2000)});
    for (const headers of [{'Content-Length': String(body.length)}, {'Transfer-Encoding': 'chunked'}]) {
      const reply = await harness.call({path: '/validate', body, headers});
      expect([reply.status, reply.headers.connection]).toEqual([413, 'close']);
    }
    expect(await harness.metrics.text()).toContain('kyverno_admission_requests_refused_total{reason="body-size"} 2');
  });

  it('an object and its former self of 1.5 MiB each fit', async () => {
    const harness = await start();
    const big = {metadata: {name: 'web'}, data: {text: 'x'.repeat(1.5 * 1024 * 1024)}};
    const answer = await harness.review(
      '/validate/fail',
      podReview({operation: 'UPDATE', object: big, oldObject: big}),
    );
    expect(answer.allowed).toBe(true);
  });

  it('requests beyond the cap in flight are answered 429 and those in flight finish', async () => {
    let release = (_value: ValidateResponse) => {};
    const harness = await start({
      limits: {maxInFlight: 1},
      engine: scriptedEngine({
        validate: (request, {bucket}) =>
          request.name === 'slow' && bucket === 'enforce'
            ? new Promise<ValidateResponse>(resolve => (release = resolve))
            : {results: []},
      }),
    });
    const first = harness.review('/validate/fail', podReview({name: 'slow'}));
    while (harness.clock.pending() === 0) await settle(1);
    expect((await harness.call({path: '/validate/fail', body: podReview()})).status).toBe(429);
    release({results: []});
    expect((await first).allowed).toBe(true);
    expect((await harness.call({path: '/validate/fail', body: podReview()})).status).toBe(200);
  });

  it('nothing is judged before everything is loaded', async () => {
    let complete = false;
    const harness = await start({complete: () => complete});
    expect(await harness.call({path: '/validate/fail', body: podReview()})).toMatchObject({
      status: 503,
      text: 'policies are not loaded yet',
    });
    complete = true;
    expect((await harness.call({path: '/validate/fail', body: podReview()})).status).toBe(200);
  });

  it('bodies beyond the bytes held together are answered 429', async () => {
    const harness = await start({limits: {maxInFlightBytes: 100}});
    expect((await harness.call({path: '/validate/fail', body: podReview()})).status).toBe(429);
  });
});

describe('probes', () => {
  it('liveness is constant, readiness tells why not', async () => {
    let ready = false;
    const harness = await start({
      readiness: () =>
        ready ? {ready: true, reasons: []} : {ready: false, reasons: ['policies not compiled', 'no certificate']},
    });
    expect((await harness.call({path: '/health/liveness'})).status).toBe(200);
    const reply = await harness.call({path: '/health/readiness'});
    expect([reply.status, reply.text]).toEqual([503, 'policies not compiled\nno certificate']);
    ready = true;
    expect((await harness.call({path: '/health/readiness'})).status).toBe(200);
  });
});

describe('certificates', () => {
  const serialOf = (harness: Harness) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({port: harness.port, host: '127.0.0.1', ca: harness.ca.cert}, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.once('error', reject);
    });

  it('are swapped for new connections while open ones go on', async () => {
    const harness = await start();
    const before = await serialOf(harness);
    expect((await harness.review('/validate/fail')).allowed).toBe(true);
    await harness.swapCertificate();
    expect(await serialOf(harness)).not.toBe(before);
    expect((await harness.review('/validate/fail')).allowed).toBe(true);
  });
});

it('closes while a handshake is under way', async () => {
  const harness = await startHarness();
  const raw = connectTcp({port: harness.port, host: '127.0.0.1'});
  await new Promise(resolve => raw.once('connect', resolve));
  await settle();
  await harness.close();
  raw.destroy();
});

it('a taken port is an error', async () => {
  const harness = await start();
  const second = await start();
  await second.server.close();
  await expect(second.server.listen(harness.port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
});

describe('draining', () => {
  it('goes unready, waits for the endpoint, ends answered and silent connections, lets requests finish', async () => {
    let release = (_value: ValidateResponse) => {};
    let gone = () => {};
    const harness = await start({
      engine: scriptedEngine({
        validate: (request, {bucket}) =>
          request.name === 'slow' && bucket === 'enforce'
            ? new Promise<ValidateResponse>(resolve => (release = resolve))
            : {results: []},
      }),
    });
    const silent = connect({port: harness.port, host: '127.0.0.1', ca: harness.ca.cert});
    const silentEnd = new Promise<void>(resolve => silent.once('close', () => resolve()));
    await new Promise(resolve => silent.once('secureConnect', resolve));
    silent.resume();
    const slow = harness.call({path: '/validate/fail', body: podReview({name: 'slow'})});
    while (harness.clock.pending() === 0) await settle(1);

    const drained = harness.server.drain({endpointGone: () => new Promise(resolve => (gone = resolve))});
    expect((await harness.call({path: '/health/readiness'})).status).toBe(503);
    const during = await harness.call({path: '/validate/fail', body: podReview()});
    expect([during.status, during.headers.connection]).toEqual([200, 'keep-alive']);

    gone();
    await settle();
    const after = await harness.call({path: '/validate/fail', body: podReview()});
    expect([after.status, after.headers.connection]).toEqual([200, 'close']);

    for (let step = 0; step < 8; step++) {
      harness.clock.advance(250);
      await settle(2);
    }
    await silentEnd;
    release({results: []});
    const answered = await slow;
    expect([answered.status, answered.headers.connection]).toEqual([200, 'close']);

    let over = false;
    void drained.then(() => (over = true));
    while (!over) {
      harness.clock.advance(250);
      await settle(5);
    }
    await expect(harness.call({path: '/validate/fail', body: podReview(), agent: new Agent()})).rejects.toThrow();
  });

  it('waits for an endpoint no longer than told', async () => {
    const harness = await start();
    const drained = harness.server.drain({endpointGone: () => new Promise(() => {}), maxWaitMs: 5000});
    let over = false;
    void drained.then(() => (over = true));
    await settle();
    expect(over).toBe(false);
    harness.clock.advance(5000);
    while (!over) {
      harness.clock.advance(250);
      await settle(5);
    }
  });
});
