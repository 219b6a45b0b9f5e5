import {describe, expect, it} from 'vitest';
import {evaluated} from '../../../test/cel/evaluated.js';

describe('quantities', () => {
  it.each([
    ['quantity("1Gi").isGreaterThan(quantity("1G"))', 'true'],
    ['quantity("500m").isLessThan(quantity("1"))', 'true'],
    ['quantity("1Ki").compareTo(quantity("1024"))', '0'],
    ['quantity("1Mi") == quantity("1024Ki")', 'true'],
    ['quantity("100m").add(quantity("0.9")).compareTo(quantity("1"))', '0'],
    ['quantity("5").sub(7).compareTo(quantity("-2"))', '0'],
    ['quantity("50k").asApproximateFloat()', '50000.0'],
    ['quantity("1.5Mi").asApproximateFloat()', '1.572864e+06'],
    ['quantity("2k").asInteger()', '2000'],
    ['quantity("1.5").asInteger()', 'error: cannot convert value to integer'],
    ['sign(quantity("-5"))', '-1'],
    ['isQuantity("1GiB")', 'false'],
    ['isQuantity("")', 'false'],
    ['isQuantity("Ki")', 'true'],
    ['isQuantity("Ei")', 'false'],
    ['isQuantity("1e2147483648")', 'false'],
    [
      'quantity("abc")',
      "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ['quantity("1EE")', "error: unable to parse quantity's suffix"],
    ['quantity("1e2000000000").isGreaterThan(quantity("1e1999999999"))', 'true'],
    ['quantity("1e2000000000").isInteger()', 'false'],
    ['quantity("1e2000000000").asApproximateFloat()', 'Infinity'],
    ['quantity("1e2000000000").add(quantity("1n"))', 'error: quantities are too far apart to be added'],
    ['quantity("9223372036854775807").add(1).isInteger()', 'false'],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source).replace('+Inf', 'Infinity')).toBe(expected);
  });

  it.each([
    ['1', true],
    ['1k', true],
    ['1Ki', true],
    ['1e3', true],
    ['1000m', false],
    ['1.0', false],
    ['0.5Ki', false],
    ['7Ei', false],
    ['10E', false],
  ])('count as integers only as Kubernetes holds them: %s', (text, expected) => {
    expect(evaluated(`quantity("${text}").isInteger()`)).toBe(String(expected));
  });
});

describe('versions', () => {
  it.each([
    ['semver("1.2.3").isLessThan(semver("1.10.0"))', 'true'],
    ['semver("1.0.0-alpha").isLessThan(semver("1.0.0"))', 'true'],
    ['semver("1.2.3+a") == semver("1.2.3+b")', 'true'],
    ['[semver("1.2.3").major(), semver("1.2.3").minor(), semver("1.2.3").patch()]', '[1, 2, 3]'],
    ['semver("18446744073709551615.0.0").major()', '-1'],
    ['semver("v1.02", true).compareTo(semver("1.2.0"))', '0'],
    ['semver("v1.2-rc", true)', 'error: short version cannot contain PreRelease/Build meta data'],
    ['isSemver("v1.2.3")', 'false'],
    ['isSemver("v1.2.3", true)', 'true'],
    ['semver("1.2")', 'error: No Major.Minor.Patch elements found'],
    ['semver("")', 'error: Version string empty'],
    ['semver("01.2.3")', 'error: Major number must not contain leading zeroes "01"'],
    ['semver("1.x.3")', 'error: Invalid character(s) found in minor number "x"'],
    ['semver("1.2.3-01")', 'error: Numeric PreRelease version must not contain leading zeroes "01"'],
    ['semver("1.2.3-a..b")', 'error: Prerelease is empty'],
    ['semver("1.2.3+")', 'error: Build meta data is empty'],
    [
      'semver("99999999999999999999.1.1")',
      'error: strconv.ParseUint: parsing "99999999999999999999": value out of range',
    ],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });
});

describe('addresses', () => {
  it.each([
    ['ip("192.168.0.1").family()', '4'],
    ['string(ip("2001:DB8:0:0:0:0:0:1"))', '"2001:db8::1"'],
    ['ip.isCanonical("2001:DB8::1")', 'false'],
    ['ip("10.0.0.1").isGlobalUnicast()', 'true'],
    ['ip("255.255.255.255").isGlobalUnicast()', 'false'],
    ['ip("::").isUnspecified()', 'true'],
    ['ip("febf::1").isLinkLocalUnicast()', 'true'],
    ['ip("224.0.0.9").isLinkLocalMulticast()', 'true'],
    ['ip("ff12::1").isLinkLocalMulticast()', 'true'],
    ['isIP("1.2.3.4/24")', 'false'],
    ['ip("::ffff:1.2.3.4")', 'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
    ['ip("fe80::1%eth0")', 'error: IP address "fe80::1%eth0" with zone value is not allowed'],
    [
      'ip("1.2.3.04")',
      'error: IP Address "1.2.3.04" parse error during conversion from string: ParseAddr("1.2.3.04"): IPv4 field has octet with leading zero',
    ],
    [
      'ip("1::2::3")',
      'error: IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
    ],
    ['string(cidr("192.168.0.5/24").masked())', '"192.168.0.0/24"'],
    ['cidr("192.168.0.0/24").containsIP("192.168.0.7")', 'true'],
    ['cidr("192.168.0.0/24").containsIP(ip("192.168.1.7"))', 'false'],
    ['cidr("::/0").containsIP("1.2.3.4")', 'false'],
    ['cidr("192.168.0.0/16").containsCIDR("192.168.10.0/24")', 'true'],
    ['cidr("192.168.10.0/24").containsCIDR(cidr("192.168.0.0/16"))', 'false'],
    ['cidr("10.0.0.5/9").prefixLength()', '9'],
    ['cidr("10.0.0.5/9").ip() == ip("10.0.0.5")', 'true'],
    ['isCIDR("10.0.0.0/33")', 'false'],
    ['isCIDR("10.0.0.0/08")', 'false'],
    [
      'cidr("bad")',
      'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("bad"): no \'/\'',
    ],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });
});

describe('URLs', () => {
  it.each([
    ['url("HTTPS://u:p%20w@Example.com:80/a b?x=1&x=2+3&y#f").getScheme()', '"https"'],
    ['url("https://Example.com:80/p").getHost()', '"Example.com:80"'],
    ['url("https://[::1]:80/p").getHostname()', '"::1"'],
    ['url("https://[::1]:80/p").getPort()', '"80"'],
    ['url("https://e.com/a b/ä%2Fc").getEscapedPath()', '"/a%20b/%C3%A4/c"'],
    ['url("https://e.com/a%2Fb").getEscapedPath()', '"/a%2Fb"'],
    ['url("/p?x=1&x=2+3&y&a;b=1&c=%zz").getQuery()', '{"x": ["1", "2 3"], "y": [""]}'],
    ['url("https://e.com?__proto__=1").getQuery()["__proto__"]', '["1"]'],
    ['url("https://e.com/a b") == url("https://e.com/a%20b")', 'true'],
    ['isURL("../rel")', 'false'],
    ['isURL("/abs")', 'true'],
    ['isURL("https://a:b:c/")', 'false'],
    ['isURL("postgres://a:1,b:2/")', 'true'],
    ['url("foo")', 'error: URL parse error during conversion from string: parse "foo": invalid URI for request'],
    [
      'url("http://h:x/")',
      'error: URL parse error during conversion from string: parse "http://h:x/": invalid port ":x" after host',
    ],
    [
      'url("http://h/%zz")',
      'error: URL parse error during conversion from string: parse "http://h/%zz": invalid URL escape "%zz"',
    ],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });
});

describe('named formats', () => {
  it.each([
    ['format.dns1123Label().validate("my-name")', 'optional.none()'],
    ['format.dns1123Label().validate("a.b").value()', '["must not contain dots"]'],
    ['format.dns1123Label().validate("A").value()[0].startsWith("a lowercase RFC 1123 label must consist of")', 'true'],
    ['format.dns1123LabelPrefix().validate("abc-")', 'optional.none()'],
    ['format.qualifiedName().validate("example.com/Name")', 'optional.none()'],
    ['format.qualifiedName().validate("/x").value()', '["prefix part must be non-empty"]'],
    ['format.labelValue().validate("")', 'optional.none()'],
    ['format.uuid().validate("123E4567-e89b-12d3-a456-426614174000")', 'optional.none()'],
    ['format.byte().validate("aGVsbG8").value()', '["invalid base64"]'],
    ['format.date().validate("2023-02-29").value()', '["invalid date"]'],
    ['format.date().validate("2024-02-29")', 'optional.none()'],
    ['format.datetime().validate("2024-02-29T12:00:00.5+02:00")', 'optional.none()'],
    ['format.datetime().validate("2024-02-29T24:00:00Z").value()', '["invalid datetime"]'],
    ['format.uri().validate("foo").value()', '["parse \\"foo\\": invalid URI for request"]'],
    ['format.named("uri").value() == format.uri()', 'true'],
    ['format.named("constructor")', 'optional.none()'],
  ])('%s is %s', (source, expected) => {
    expect(evaluated(source)).toBe(expected);
  });
});
