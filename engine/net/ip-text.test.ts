import {describe, expect, it} from 'vitest';
import {formatAddress} from './address.js';
import {IpSyntaxError, isMapped, readIp} from './ip-text.js';

describe('an address as Go reads it', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4', ''],
    ['::', '::', ''],
    ['2001:DB8::1', '2001:db8::1', ''],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0', ''],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304', ''],
    ['fe80::1%eth0', 'fe80::1', 'eth0'],
  ])('%s is %s with zone %j', (text, expected, zone) => {
    const read = readIp(text);
    expect(formatAddress(read.bytes)).toBe(expected);
    expect(read.zone).toBe(zone);
  });

  it.each([
    ['', 'unable to parse IP'],
    ['%eth0', 'missing IPv6 address'],
    ['1.2.3', 'IPv4 address too short'],
    ['1.2.3.256', 'IPv4 field has value >255'],
    ['1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'],
    ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
    ['12345::', 'each group must have 4 or less digits (at "12345::")'],
    ['1::2::3', 'multiple :: in address (at ":3")'],
    ['1:2', 'address string too short'],
    ['1:2:3:4:5:6:7:8::', 'the :: must expand to at least one field of zeros'],
    ['::1%', 'zone must be a non-empty string'],
  ])('%j is none: %s', (text, why) => {
    let caught: unknown;
    try {
      readIp(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(IpSyntaxError);
    expect((caught as IpSyntaxError).message).toBe(`ParseAddr(${JSON.stringify(text)}): ${why}`);
  });

  it('keeps IPv4 inside IPv6 apart', () => {
    expect(isMapped(readIp('::ffff:1.2.3.4').bytes)).toBe(true);
    expect(isMapped(readIp('::1.2.3.4').bytes)).toBe(false);
  });
});
