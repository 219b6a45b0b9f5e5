import {describe, expect, it} from 'vitest';
import {formatAddress, isPrivateAddress, parseAddress} from './address.js';

describe('an IP literal', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '::'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['1::8', '1::8'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
  ])('%s is read and printed as %s', (text, want) => {
    expect(formatAddress(parseAddress(text)!)).toBe(want);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.x',
    'a.b.c.d',
    ':',
    ':::',
    '1:2',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7:8:9',
    '::1.2.3',
    '1.2.3.4::',
    '::%eth0',
    'fe80::1%1',
    '1:2:3:4:5:6:7:8::',
  ])('%j is none', text => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it.each([
    ['10.255.0.1', true],
    ['11.0.0.1', false],
    ['172.15.0.1', false],
    ['172.31.255.255', true],
    ['192.168.4.4', true],
    ['192.169.0.1', false],
    ['127.9.9.9', true],
    ['::1', true],
    ['::2', false],
    ['fc00::1', true],
    ['fdff::1', true],
    ['fe00::1', false],
    ['::ffff:192.168.0.1', true],
  ])('%s is private: %s', (text, want) => {
    expect(isPrivateAddress(parseAddress(text)!)).toBe(want);
  });
});
