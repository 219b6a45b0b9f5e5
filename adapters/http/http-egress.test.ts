import {describe, expect, it} from 'vitest';
import {createHttpEgress, createUrlAllowlist} from './http-egress.js';

describe('the list of allowed URLs', () => {
  const allow = ['https://api.example.com/v1', 'http://svc.shop:8080/', '10.0.0.0/8'];
  const permits = createUrlAllowlist(allow);

  for (const [url, want] of [
    ['https://api.example.com/v1', true],
    ['https://api.example.com/v1/', true],
    ['https://API.example.com:443/v1/users?x=1', true],
    ['https://api.example.com./v1/users', true],
    ['https://api.example.com/v10', false],
    ['https://api.example.com/', false],
    ['http://api.example.com/v1', false],
    ['https://api.example.com:8443/v1', false],
    ['https://api.example.com.evil.io/v1', false],
    ['https://api.example.com/v1/../admin', false],
    ['https://api.example.com/v1/%2e%2e/admin', false],
    ['https://api.example.com/v1/..%2fadmin', false],
    ['https://api.example.com/v1/%5c../..%5cadmin', false],
    ['https://api.example.com/v1/%zz', false],
    ['http://svc.shop:8080/anything', true],
    ['http://svc.shop/anything', false],
    ['http://10.1.2.3/', false],
  ] as const) {
    it(`${want ? 'has' : 'lacks'} ${url}`, () => {
      expect(permits(new URL(url))).toBe(want);
    });
  }

  it('allows every URL when it names none', () => {
    expect(createUrlAllowlist(['10.0.0.0/8', '*.svc'])(new URL('https://anywhere.io/'))).toBe(true);
  });

  for (const entry of ['ftp://a/', 'https://', 'http://a/%zz']) {
    it(`refuses the entry ${entry}`, () => {
      expect(() => createUrlAllowlist([entry])).toThrow('no http or https URL');
    });
  }
});

describe('egress of expressions', () => {
  const egress = createHttpEgress({block: ['169.254.169.254', 'metadata.google.internal', '10.9.0.0/16', '*.corp']});

  for (const [url, want] of [
    ['http://metadata.google.internal/', 'hostname "metadata.google.internal" is on the blocklist'],
    ['http://Metadata.Google.Internal./', 'hostname "metadata.google.internal" is on the blocklist'],
    ['http://a.corp/', 'hostname "a.corp" is on the blocklist'],
    ['http://google.internal/', undefined],
  ] as const) {
    it(`${want === undefined ? 'passes' : 'blocks'} ${url}`, () => {
      const why = egress.checkUrl(new URL(url));
      if (want === undefined) expect(why).toBeUndefined();
      else expect(why).toContain(want);
    });
  }

  for (const [address, range] of [
    ['169.254.169.254', '169.254.169.254/32'],
    ['::ffff:169.254.169.254', '169.254.169.254/32'],
    ['64:ff9b::a9fe:a9fe', '169.254.169.254/32'],
    ['2002:a9fe:a9fe::1', '169.254.169.254/32'],
    ['10.9.1.1', '10.9.0.0/16'],
    ['127.0.0.1', '127.0.0.0/8'],
    ['::1', '::1/128'],
    ['::7f00:1', '127.0.0.0/8'],
    ['169.254.0.7', '169.254.0.0/16'],
    ['100.100.100.200', '100.100.100.200/32'],
    ['fe80::1', 'fe80::/10'],
    ['0.0.0.0', '0.0.0.0/8'],
    ['224.0.0.1', '224.0.0.0/4'],
    ['10.1.2.3', undefined],
    ['192.168.1.1', undefined],
    ['8.8.8.8', undefined],
    ['2606:4700::1', undefined],
  ] as const) {
    it(`${range === undefined ? 'passes' : 'blocks'} ${address}`, () => {
      const want = range && `connection to svc blocked: IP ${address} falls in blocked range ${range}`;
      expect(egress.checkAddress('svc', address)).toBe(want);
    });
  }

  it('refuses loopback and metadata without any list', () => {
    const open = createHttpEgress({});
    expect(open.checkAddress('a', '127.0.0.1')).toContain('127.0.0.0/8');
    expect(open.checkAddress('a', '169.254.169.254')).toContain('169.254.0.0/16');
  });

  it('opens an address that is allowed as such, and none by a name or a URL', () => {
    expect(createHttpEgress({allow: ['127.0.0.1']}).checkAddress('a', '127.0.0.1')).toBeUndefined();
    expect(
      createHttpEgress({allow: ['localhost', 'http://127.0.0.1/']}).checkAddress('localhost', '127.0.0.1'),
    ).toContain('blocked');
    expect(createHttpEgress({allow: ['127.0.0.1'], block: ['127.0.0.0/8']}).checkAddress('a', '127.0.0.1')).toContain(
      'blocked',
    );
  });

  it('refuses an entry that it cannot read', () => {
    expect(() => createHttpEgress({block: ['http://x']})).toThrow('is no address');
  });
});
