import type {IssuedCertificate} from '../../adapters/tls/index.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';

/** Certificate and key (PEM) of a Secret of type kubernetes.io/tls; undefined without a certificate, `key` may be empty. */
export function materialOf(secret: JsonObject | undefined): IssuedCertificate | undefined {
  const cert = decode(ownPath(secret, 'data', 'tls.crt') ?? ownPath(secret, 'data', 'rootCA.crt'));
  const key = decode(ownPath(secret, 'data', 'tls.key'));
  return cert === '' || !cert.includes('BEGIN CERTIFICATE') ? undefined : {cert, key};
}

function decode(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}
