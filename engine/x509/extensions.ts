import {Buffer} from 'node:buffer';
import type {Json, JsonObject} from '../json/types.js';
import {formatAddress} from '../net/address.js';
import {bitString, children, context, contextPrimitive, type DerNode, integer, objectId, readOne, tags} from './der.js';

/** Go's numbers for extended key usages 1.3.6.1.5.5.7.3.n. */
const extendedUsages: ReadonlyMap<string, number> = new Map([
  ['2.5.29.37.0', 0],
  ['1.3.6.1.5.5.7.3.1', 1],
  ['1.3.6.1.5.5.7.3.2', 2],
  ['1.3.6.1.5.5.7.3.3', 3],
  ['1.3.6.1.5.5.7.3.4', 4],
  ['1.3.6.1.5.5.7.3.5', 5],
  ['1.3.6.1.5.5.7.3.6', 6],
  ['1.3.6.1.5.5.7.3.7', 7],
  ['1.3.6.1.5.5.7.3.8', 8],
  ['1.3.6.1.5.5.7.3.9', 9],
]);

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export interface Extension {
  readonly id: readonly number[];
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** The extensions of a `SEQUENCE OF Extension`. */
export function extensionsOf(list: DerNode | undefined): Extension[] {
  return children(list, tags.sequence).map(node => {
    const [id, ...rest] = children(node, tags.sequence);
    const flag = rest[0]?.tag === tags.boolean ? rest.shift() : undefined;
    const value = rest[0]?.tag === tags.octetString ? rest[0].content : new Uint8Array();
    return {id: objectId(id), critical: flag?.content[0] === 0xff, value};
  });
}

export function extensionJson(extension: Extension): JsonObject {
  return {Id: [...extension.id], Critical: extension.critical, Value: base64(extension.value)};
}

/** What extensions say, under Go's field names; absent ones keep Go's zero values. */
export function extensionFields(extensions: readonly Extension[]): JsonObject {
  const fields: JsonObject = {};
  for (const extension of extensions) {
    const reader = readers.get(extension.id.join('.'));
    if (reader) Object.assign(fields, reader(extension.value));
  }
  return fields;
}

/** The alternative names of a certificate request or certificate. */
export function alternativeNames(value: Uint8Array): JsonObject {
  const lists: Record<'DNSNames' | 'EmailAddresses' | 'IPAddresses' | 'URIs', Json[]> = {
    DNSNames: [],
    EmailAddresses: [],
    IPAddresses: [],
    URIs: [],
  };
  for (const name of children(readOne(value), tags.sequence)) {
    const text = Buffer.from(name.content).toString('latin1');
    if (name.tag === contextPrimitive(1)) lists.EmailAddresses.push(text);
    if (name.tag === contextPrimitive(2)) lists.DNSNames.push(text);
    if (name.tag === contextPrimitive(6)) lists.URIs.push(urlJson(text));
    if (name.tag === contextPrimitive(7)) lists.IPAddresses.push(formatAddress([...name.content]));
  }
  return Object.fromEntries(Object.entries(lists).map(([field, list]) => [field, list.length > 0 ? list : null]));
}

/** The parts of a URI that policies look at, under Go's names. */
function urlJson(text: string): JsonObject {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  const [, scheme = '', host = '', path = '', query = '', fragment = ''] = match ?? [];
  const isOpaque = host === '' && path !== '' && !path.startsWith('/');
  return {
    Scheme: scheme.toLowerCase(),
    Opaque: isOpaque ? path : '',
    User: null,
    Host: host,
    Path: isOpaque ? '' : path,
    RawPath: '',
    OmitHost: false,
    ForceQuery: false,
    RawQuery: query,
    Fragment: fragment,
    RawFragment: '',
  };
}

/** Bit n of the string is bit n of the number. */
function keyUsage(value: Uint8Array): JsonObject {
  const {bytes, bits} = bitString(readOne(value));
  let usage = 0;
  for (let bit = 0; bit < Math.min(bits, 9); bit++) {
    if (((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0) usage |= 1 << bit;
  }
  return {KeyUsage: usage};
}

function basicConstraints(value: Uint8Array): JsonObject {
  const nodes = children(readOne(value), tags.sequence);
  const isAuthority = nodes.some(node => node.tag === tags.boolean && node.content[0] === 0xff);
  const length = nodes.find(node => node.tag === tags.integer);
  const maxPathLength = length ? Number(integer(length)) : -1;
  return {
    BasicConstraintsValid: true,
    IsCA: isAuthority,
    MaxPathLen: maxPathLength,
    MaxPathLenZero: maxPathLength === 0,
  };
}

function extendedKeyUsage(value: Uint8Array): JsonObject {
  const known: Json[] = [];
  const unknown: Json[] = [];
  for (const node of children(readOne(value), tags.sequence)) {
    const id = objectId(node);
    const usage = extendedUsages.get(id.join('.'));
    if (usage === undefined) unknown.push(id);
    else known.push(usage);
  }
  return {ExtKeyUsage: known.length > 0 ? known : null, UnknownExtKeyUsage: unknown.length > 0 ? unknown : null};
}

function authorityKey(value: Uint8Array): JsonObject {
  const id = children(readOne(value), tags.sequence).find(node => node.tag === contextPrimitive(0));
  return id ? {AuthorityKeyId: base64(id.content)} : {};
}

function authorityAccess(value: Uint8Array): JsonObject {
  const responders: Json[] = [];
  const issuers: Json[] = [];
  for (const access of children(readOne(value), tags.sequence)) {
    const [method, location] = children(access, tags.sequence);
    if (location?.tag !== contextPrimitive(6)) continue;
    const url = Buffer.from(location.content).toString('latin1');
    const name = objectId(method).join('.');
    if (name === '1.3.6.1.5.5.7.48.1') responders.push(url);
    if (name === '1.3.6.1.5.5.7.48.2') issuers.push(url);
  }
  return {
    OCSPServer: responders.length > 0 ? responders : null,
    IssuingCertificateURL: issuers.length > 0 ? issuers : null,
  };
}

function distributionPoints(value: Uint8Array): JsonObject {
  const urls: Json[] = [];
  for (const point of children(readOne(value), tags.sequence)) {
    const name = children(point, tags.sequence).find(node => node.tag === context(0));
    const full = name ? children(name, context(0)).find(node => node.tag === context(0)) : undefined;
    for (const general of full ? children(full, context(0)) : []) {
      if (general.tag === contextPrimitive(6)) urls.push(Buffer.from(general.content).toString('latin1'));
    }
  }
  return {CRLDistributionPoints: urls.length > 0 ? urls : null};
}

function policies(value: Uint8Array): JsonObject {
  const ids = children(readOne(value), tags.sequence).map(node => objectId(children(node, tags.sequence)[0]));
  return {PolicyIdentifiers: ids.length > 0 ? ids : null};
}

const readers: ReadonlyMap<string, (value: Uint8Array) => JsonObject> = new Map([
  ['2.5.29.14', value => ({SubjectKeyId: base64(readOne(value).content)})],
  ['2.5.29.15', keyUsage],
  ['2.5.29.17', alternativeNames],
  ['2.5.29.19', basicConstraints],
  ['2.5.29.31', distributionPoints],
  ['2.5.29.32', policies],
  ['2.5.29.35', authorityKey],
  ['2.5.29.37', extendedKeyUsage],
  ['1.3.6.1.5.5.7.1.1', authorityAccess],
]);
