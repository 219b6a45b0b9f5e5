import {createServer, type Server} from 'node:https';
import type {AddressInfo} from 'node:net';
import {connect, type ConnectionOptions} from 'node:tls';
import {afterEach, describe, expect, it} from 'vitest';
import {issueCa, issueLeaf} from '../../adapters/tls/index.js';
import {tlsOptions} from '../../webhook/http/tls-options.js';

/** A listener that lets itself be talked down to broken protocols and ciphers. */
const now = Date.now();
const ca = await issueCa({now, commonName: 'test'});
const leaf = {...(await issueLeaf({ca, dnsNames: ['localhost'], now})), ca: ca.cert};
let server: Server | undefined;
afterEach(() => new Promise<void>(done => (server === undefined ? done() : server.close(() => done()))));

async function negotiated(options: object, client: ConnectionOptions): Promise<string> {
  const started = createServer({key: leaf.key, cert: leaf.cert, ...options}, (_, response) => response.end());
  server = started;
  await new Promise<void>(done => started.listen(0, '127.0.0.1', done));
  const {port} = started.address() as AddressInfo;
  return new Promise(resolve => {
    const socket = connect({host: '127.0.0.1', port, rejectUnauthorized: false, ...client});
    socket.once('secureConnect', () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
      socket.destroy();
    });
    socket.once('error', () => resolve('refused'));
  });
}

const old: ConnectionOptions = {minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0'};
const weak: ConnectionOptions = {maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:AES128-SHA@SECLEVEL=0'};
const careless = {minVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0'};

describe('the webhook listener', () => {
  it('refuses protocols below TLS 1.2 and suites without AEAD', async () => {
    expect(await negotiated(tlsOptions(leaf), old)).toBe('refused');
    expect(await negotiated(tlsOptions(leaf), weak)).toBe('refused');
    expect(await negotiated(tlsOptions(leaf), {})).toMatch(/^TLSv1\.3 /);
    expect(await negotiated(tlsOptions(leaf), {maxVersion: 'TLSv1.2'})).toMatch(/^TLSv1\.2 .*(GCM|CHACHA20)/);
  });

  it('would take them without its options', async () => {
    expect(await negotiated(careless, old)).toMatch(/^TLSv1(\.1)? /);
    expect(await negotiated(careless, weak)).toMatch(/^TLSv1\.2 .*-SHA$/);
  });
});
