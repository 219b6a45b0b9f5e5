import type {JsonObject} from '../../json/types.js';
import {certificateJson, requestJson} from '../../x509/certificate.js';
import {DerError} from '../../x509/der.js';
import {firstPemBlock} from '../../x509/pem.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {dynType, stringType} from '../types/type.js';
import {declare} from './declare.js';

/** Certificates and signing requests with RSA keys, as Go's structures in JSON. */
export const x509Library: Library = {
  name: 'kyverno.x509',
  functions: declare(
    'x509',
    ['x509.decode'],
    [
      {
        id: 'string',
        receiver: false,
        params: [stringType],
        result: dynType,
        host: true,
        call(host: CelHost, pem: string) {
          // Raw parts come out about three times: whole, body, key and names.
          host.budget.step(1 + (pem.length >>> 4));
          host.budget.bytes(pem.length * 4);
          return decode(pem);
        },
      },
    ],
  ),
};

function decode(pem: string): JsonObject {
  const block = firstPemBlock(pem);
  if (block === undefined) throw new CelError('failed to decode PEM block');
  const isCertificate = block.type === 'CERTIFICATE';
  if (!isCertificate && block.type !== 'CERTIFICATE REQUEST') {
    throw new CelError('PEM block neither contains a CERTIFICATE or CERTIFICATE REQUEST');
  }
  try {
    return isCertificate ? certificateJson(block.bytes) : requestJson(block.bytes);
  } catch (thrown) {
    if (!(thrown instanceof DerError)) throw thrown;
    if (thrown.message.includes('only RSA')) throw new CelError('certificate should use rsa algorithm');
    throw new CelError(`certificate cannot be read: ${thrown.message}`);
  }
}
