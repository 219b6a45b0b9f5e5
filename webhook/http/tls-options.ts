import type {ServerOptions} from 'node:https';
import type {ServingCertificate} from '../types.js';

/** The suites of TLS 1.3 and the six of 1.2 that have forward secrecy and authenticated encryption. */
const suites = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** What a secure context is made of; `setSecureContext` needs all of it again at every swap. */
export function secureContext(certificate: ServingCertificate) {
  return {key: certificate.key, cert: certificate.cert, minVersion: 'TLSv1.2', ciphers: suites} as const;
}

/** Bytes. Shared webhooks have the names of all their policies in the path, 253 characters each at most. */
const maxHeaderSize = 1024 * 1024;

export function tlsOptions(certificate: ServingCertificate): ServerOptions {
  // HTTP/1.1 alone: HTTP/2 costs more CPU per request here and brings its reset attacks along.
  return {...secureContext(certificate), ALPNProtocols: ['http/1.1'], handshakeTimeout: 10_000, honorCipherOrder: true, maxHeaderSize};
}
