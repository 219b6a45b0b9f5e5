import {fn, global, method, walk} from '../library/declare.js';
import type {FunctionDeclaration, Library} from '../library/library.js';
import {boolType, intType, opaque, stringType, type Type} from '../types/type.js';
import {CidrValue, IpValue, maskedBytes, parseCidr, parseIp, samePrefix} from './addresses.js';
import {succeeds} from './succeeds.js';

const ipType = opaque('net.IP');
const cidrType = opaque('net.CIDR');

export const ipLibrary: Library = {
  name: 'kubernetes.net.ip',
  functions: [
    fn('ip', global('string_to_ip', [[stringType], ipType], parseIp, walk)),
    fn('isIP', global('is_ip', [[stringType], boolType], succeeds(parseIp), walk)),
    fn(
      'ip.isCanonical',
      global('ip_is_canonical', [[stringType], boolType], (text: string) => parseIp(text).text() === text, walk),
    ),
    fn(
      'family',
      method('ip_family', [[ipType], intType], (ip: IpValue) => (ip.bytes.length === 4 ? 4 : 6)),
    ),
    test('isUnspecified', 'ip_is_unspecified', isUnspecified),
    test('isLoopback', 'ip_is_loopback', isLoopback),
    test('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    test('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    test('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    textOf('ip_to_string', ipType),
  ],
};

export const cidrLibrary: Library = {
  name: 'kubernetes.net.cidr',
  functions: [
    fn('cidr', global('string_to_cidr', [[stringType], cidrType], parseCidr, walk)),
    fn('isCIDR', global('is_cidr', [[stringType], boolType], succeeds(parseCidr), walk)),
    fn(
      'containsIP',
      method('cidr_contains_ip_string', [[cidrType, stringType], boolType], (cidr: CidrValue, ip: string) =>
        containsIp(cidr, parseIp(ip)),
      ),
      method('cidr_contains_ip_ip', [[cidrType, ipType], boolType], containsIp),
    ),
    fn(
      'containsCIDR',
      method('cidr_contains_cidr_string', [[cidrType, stringType], boolType], (cidr: CidrValue, other: string) =>
        containsCidr(cidr, parseCidr(other)),
      ),
      method('cidr_contains_cidr', [[cidrType, cidrType], boolType], containsCidr),
    ),
    fn(
      'ip',
      method('cidr_ip', [[cidrType], ipType], (cidr: CidrValue) => new IpValue(cidr.bytes)),
    ),
    fn(
      'prefixLength',
      method('cidr_prefix_length', [[cidrType], intType], (cidr: CidrValue) => cidr.length),
    ),
    fn(
      'masked',
      method(
        'cidr_masked',
        [[cidrType], cidrType],
        ({bytes, length}: CidrValue) => new CidrValue(maskedBytes(bytes, length), length),
      ),
    ),
    textOf('cidr_to_string', cidrType),
  ],
};

function test(name: string, id: string, call: (bytes: readonly number[]) => boolean): FunctionDeclaration {
  return fn(
    name,
    method(id, [[ipType], boolType], (ip: IpValue) => call(ip.bytes)),
  );
}

function textOf(id: string, type: Type): FunctionDeclaration {
  return fn(
    'string',
    global(id, [[type], stringType], (value: IpValue | CidrValue) => value.text()),
  );
}

function containsIp(cidr: CidrValue, ip: IpValue): boolean {
  return samePrefix(cidr.bytes, ip.bytes, cidr.length);
}

function containsCidr(cidr: CidrValue, other: CidrValue): boolean {
  return cidr.length <= other.length && samePrefix(cidr.bytes, other.bytes, cidr.length);
}

function isUnspecified(bytes: readonly number[]): boolean {
  return bytes.every(byte => byte === 0);
}

function isLoopback(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

function isLinkLocalMulticast(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
}

function isLinkLocalUnicast(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
}

function isMulticast(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

/** Private addresses are global unicast too, as in Go. */
function isGlobalUnicast(bytes: readonly number[]): boolean {
  const isBroadcast = bytes.length === 4 && bytes.every(byte => byte === 255);
  return (
    !isBroadcast && !isUnspecified(bytes) && !isLoopback(bytes) && !isMulticast(bytes) && !isLinkLocalUnicast(bytes)
  );
}
