// Makes adapters/images/notary/testdata/envelopes.json anew: `node --import tsx test/images/record-notation.ts`.
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {type NotationSignature, notationSign} from './notation.js';

const target = {mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: `sha256:${'0123456789abcdef'.repeat(4)}`, size: 528};
const kinds = {jws: 'application/jose+json', cose: 'application/cose'} as const;
const keys = ['ec256', 'ec384', 'ec521', 'rsa2048', 'rsa3072', 'rsa4096'] as const;
const past = {notBefore: '2023-01-01T00:00:00Z', notAfter: '2024-01-01T00:00:00Z', signedAt: '2023-06-01T00:00:00Z'};

const signatures = Object.entries(kinds).flatMap(([kind, mediaType]): NotationSignature[] => {
  const plain = {authority: 'trusted', mediaType, target};
  return [
    ...keys.map(key => ({...plain, name: `${kind}-${key}`, key})),
    {...plain, name: `${kind}-other-authority`, authority: 'other'},
    {...plain, name: `${kind}-expiring`, signedAt: '2024-01-01T00:00:00Z', expiresAt: '2025-01-01T00:00:00Z'},
    {...plain, name: `${kind}-old-certificate`, ...past},
    {...plain, name: `${kind}-old-certificate-timestamp`, ...past, timestamp: 'tsa'},
    {...plain, name: `${kind}-timestamp`, timestamp: 'tsa'},
    {...plain, name: `${kind}-other-timestamp`, timestamp: 'other-tsa'},
    {...plain, name: `${kind}-signing-authority`, scheme: 'notary.x509.signingAuthority'},
    {...plain, name: `${kind}-old-signing-authority`, scheme: 'notary.x509.signingAuthority', ...past},
    {...plain, name: `${kind}-critical`, critical: 'io.example.plugin'},
  ];
});

const folder = await mkdtemp(join(tmpdir(), 'notation-'));
try {
  const answer = await notationSign(folder, signatures);
  const file = resolve(import.meta.dirname, '../../adapters/images/notary/testdata/envelopes.json');
  await writeFile(file, `${JSON.stringify({target, now: new Date().toISOString(), ...answer}, undefined, 1)}\n`);
} finally {
  await rm(folder, {recursive: true});
}
