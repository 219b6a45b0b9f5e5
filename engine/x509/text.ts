import {Buffer} from 'node:buffer';
import {DerError, type DerNode, tags} from './der.js';

const ascii = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

/** Text of any of the string types; `undefined` for other elements. */
export function stringOf(node: DerNode): string | undefined {
  switch (node.tag) {
    case tags.utf8String:
      return Buffer.from(node.content).toString('utf8');
    case tags.printableString:
    case tags.ia5String:
    case tags.t61String:
    case 0x12:
      return ascii(node.content);
    case tags.bmpString: {
      let text = '';
      for (let i = 0; i + 1 < node.content.length; i += 2) {
        text += String.fromCharCode(node.content[i]! * 256 + node.content[i + 1]!);
      }
      return text;
    }
    default:
      return undefined;
  }
}

/** A validity time as RFC 3339 in UTC. */
export function timeText(node: DerNode | undefined): string {
  if (!node) throw new DerError('missing time');
  const short = node.tag === tags.utcTime;
  if (!short && node.tag !== tags.generalizedTime) throw new DerError('bad time');
  const match = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?Z$/.exec(ascii(node.content));
  if (!match || match[1]!.length !== (short ? 2 : 4)) throw new DerError('bad time');
  const [, yearText = '', month, day, hour, minute, second = '00'] = match;
  const year = short ? (Number(yearText) >= 50 ? `19${yearText}` : `20${yearText}`) : yearText;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
