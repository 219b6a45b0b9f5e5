/** Bytes of an IP address, 4 or 16; an IPv4 address written inside an IPv6 one has 4. */
export type Address = readonly number[];

/** Reads an IP literal: dotted IPv4 without leading zeros, or IPv6 without zone. `undefined` for anything else. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = parts.map(part => (/^(?:0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  return bytes.every(byte => byte < 256) ? bytes : undefined;
}

function parseV6(text: string): Address | undefined {
  if (text.length > 45) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.map((half, index) => (half === '' ? [] : groupsOf(half, index === halves.length - 1)));
  const [head, tail = []] = groups;
  if (!head || groups.some(group => group === undefined)) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...new Array<number>(missing).fill(0), ...tail];
  const bytes = all.flatMap(group => [group >> 8, group & 255]);
  const mapped = bytes.slice(0, 10).every(byte => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return mapped ? bytes.slice(12) : bytes;
}

/** The 16-bit groups of one side of `::`; the last of all may be a dotted IPv4 address. */
function groupsOf(text: string, isLast: boolean): number[] | undefined {
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const v4 = isLast && index === parts.length - 1 ? parseV4(part) : undefined;
      if (!v4) return undefined;
      groups.push(v4[0]! * 256 + v4[1]!, v4[2]! * 256 + v4[3]!);
    } else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}

/** Loopback, RFC 1918 and unique local addresses. */
export function isPrivateAddress(address: Address): boolean {
  const [first = 0, next = 0] = address;
  if (address.length === 4) {
    return (
      first === 127 || first === 10 || (first === 172 && next >= 16 && next < 32) || (first === 192 && next === 168)
    );
  }
  const isLoopback = address.slice(0, 15).every(byte => byte === 0) && address[15] === 1;
  return isLoopback || (first & 0xfe) === 0xfc;
}

/** Text as Go prints an address. */
export function formatAddress(bytes: Address): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({length: 8}, (_, index) => bytes[index * 2]! * 256 + bytes[index * 2 + 1]!);
  let best = {start: -1, length: 1};
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = {start, length};
  }
  const hex = groups.map(group => group.toString(16));
  if (best.start < 0) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}
