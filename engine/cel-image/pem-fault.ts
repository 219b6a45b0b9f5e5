import {createPublicKey, X509Certificate} from 'node:crypto';

export type PemKind = 'public key' | 'certificate';

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Why a text is not what has to be there in PEM; `undefined` when it is. Other blocks beside it are a fault, too. */
export function pemFault(text: string, kind: PemKind): string | undefined {
  const blocks = [...text.matchAll(block)];
  if (blocks.length === 0) return `no PEM block of a ${kind} in it`;
  for (const [index, [pem, label = '']] of blocks.entries()) {
    const isCertificate = label.endsWith('CERTIFICATE');
    if (isCertificate !== (kind === 'certificate') || label.endsWith('PRIVATE KEY')) {
      return `block ${index + 1} is a ${label}, not a ${kind}`;
    }
    try {
      if (isCertificate) new X509Certificate(pem);
      else createPublicKey(pem);
    } catch {
      // What OpenSSL says of it helps nobody.
      return `block ${index + 1} is no ${kind} that can be read`;
    }
  }
  return undefined;
}
