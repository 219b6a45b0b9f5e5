import {X509Certificate} from 'node:crypto';
import {describe, expect, it} from 'vitest';
import {requireGo} from '../../cluster/go-toolchain.js';
import {defaultMinor, resolveMinor} from '../../cluster/minors.js';
import {createAuthority} from '../../cluster/pki/certificates.js';

describe('the Go toolchain', () => {
  it('is named in one line when it is missing or too old', async () => {
    const error = await requireGo('99.0').catch((reason: Error) => reason);
    expect(String(error)).toMatch(
      /^Error: the control plane for tests needs Go 99\.0 or newer on PATH [^\n]*: (found|no working) [^\n]*$/,
    );
  });
});

describe('pinned minors', () => {
  it.each([defaultMinor, '1.33', '1.30'])('%s is pinned with a version of that minor', minor => {
    const pinned = resolveMinor(minor);
    expect(pinned.version.startsWith(`${minor}.`)).toBe(true);
  });

  it('lists the known ones for an unknown name', () => {
    expect(() => resolveMinor('1.2')).toThrow('known: 1.37, 1.33, 1.30');
    expect(() => resolveMinor('constructor')).toThrow('not pinned');
  });
});

describe('certificates of a test cluster', () => {
  it('are signed by their authority and name user, group and hosts', () => {
    const authority = createAuthority('test');
    const issuer = new X509Certificate(authority.certificate);
    for (const organization of ['g', 'system:masters', 'a-longer-name-so-that-lengths-differ-from-case-to-case']) {
      const issued = authority.issue({commonName: 'user', organization, hosts: ['localhost', '127.0.0.1']});
      const certificate = new X509Certificate(issued.certificate);
      expect(certificate.verify(issuer.publicKey)).toBe(true);
      expect(certificate.subject).toBe(`O=${organization}\nCN=user`);
      expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
    }
  });
});
