import {describe, expect, it} from 'vitest';
import {createAddressGuard} from './address-guard.js';

describe('address guard', () => {
  const guard = createAddressGuard({});
  for (const address of [
    '127.0.0.1',
    '127.255.1.2',
    '0.0.0.0',
    '169.254.169.254',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
  ]) {
    it(`refuses ${address}`, () => {
      expect(guard('svc', address)).toBeDefined();
    });
  }

  for (const address of [
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ]) {
    it(`lets ${address} pass`, () => {
      expect(guard('svc', address)).toBeUndefined();
    });
  }

  for (const [name, rules, host, address, passes] of [
    ['an allowed range opens a private address', {allow: ['10.96.0.0/12']}, 'svc', '10.97.1.1', true],
    ['an allowed range opens nothing beside it', {allow: ['10.96.0.0/12']}, 'svc', '10.112.0.1', false],
    ['an allowed address opens loopback', {allow: ['127.0.0.1']}, 'localhost', '127.0.0.1', true],
    ['an allowed name opens a private address', {allow: ['data.shop.svc']}, 'data.shop.svc', '10.0.0.1', true],
    ['an allowed suffix opens a private address', {allow: ['*.svc']}, 'Data.Shop.svc.', '10.0.0.1', true],
    ['an allowed suffix is not a part of a word', {allow: ['*.svc']}, 'evil-svc', '10.0.0.1', false],
    ['an allowed name does not open loopback', {allow: ['data.shop.svc']}, 'data.shop.svc', '127.0.0.1', false],
    ['an allowed name does not open metadata', {allow: ['data.shop.svc']}, 'data.shop.svc', '169.254.169.254', false],
    ['a blocked name wins', {allow: ['10.0.0.0/8'], block: ['bad.svc']}, 'bad.svc', '10.0.0.1', false],
    ['a blocked range wins', {allow: ['*.svc', '10.0.0.0/8'], block: ['10.1.0.0/16']}, 'a.svc', '10.1.0.1', false],
    ['a blocked range closes a public address', {block: ['8.8.8.0/24']}, 'dns', '8.8.8.8', false],
  ] as const) {
    it(name, () => {
      expect(createAddressGuard(rules)(host, address) === undefined).toBe(passes);
    });
  }

  it('refuses an entry that it cannot read', () => {
    expect(() => createAddressGuard({allow: ['10.0.0.0/8/9']})).toThrow('no address');
    expect(() => createAddressGuard({block: ['http://x']})).toThrow('no address');
  });
});
