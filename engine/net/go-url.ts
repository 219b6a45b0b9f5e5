import {Buffer} from 'node:buffer';
import {goQuote} from '../values/go-quote.js';
import {IpSyntaxError, readIp} from './ip-text.js';

/**
 * URLs as Go's `net/url` reads them. Inside, texts are "byte texts": a character per UTF-8 byte, since escapes and errors
 * count bytes.
 */
export interface GoUrl {
  readonly scheme: string;
  /** What follows the scheme of `mailto:a@b`, as it is written. */
  readonly opaque: string;
  /** `user:password` decoded; `undefined`: none. */
  readonly user: {readonly name: string; readonly password: string | undefined} | undefined;
  /** With port. */
  readonly host: string;
  /** Decoded. */
  readonly path: string;
  /** As it was written, where that is not the usual encoding of `path`. */
  readonly rawPath: string;
  readonly rawQuery: string;
  /** The text ended in `?`. */
  readonly forceQuery: boolean;
  /** `scheme:/path`. */
  readonly omitHost: boolean;
}

/** Why a text is no URL, in Go's words. */
export class UrlSyntaxError {
  constructor(readonly message: string) {}
}

type Mode = 'path' | 'userPassword' | 'host' | 'zone' | 'query' | 'fragment';

export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const quoteBytes = (bytes: string): string => goQuote(fromBytes(bytes));

/** Go's `url.ParseRequestURI`: an absolute URL or an absolute path, without fragment. Throws UrlSyntaxError. */
export function parseRequestUri(text: string): GoUrl {
  return inUrl(text, () => parse(toBytes(text), true));
}

/** Go's `url.Parse`, the fragment left out. Throws UrlSyntaxError. */
export function parseUrl(text: string): GoUrl & {readonly fragment: string} {
  const bytes = toBytes(text);
  const hash = bytes.indexOf('#');
  const head = hash < 0 ? bytes : bytes.slice(0, hash);
  const url = inUrl(fromBytes(head), () => parse(head, false));
  const fragment = hash < 0 ? '' : bytes.slice(hash + 1);
  inUrl(text, () => unescape(fragment, 'fragment'));
  return {...url, fragment};
}

function inUrl<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UrlSyntaxError) throw new UrlSyntaxError(`parse ${goQuote(text)}: ${error.message}`);
    throw error;
  }
}

function parse(raw: string, viaRequest: boolean): GoUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\x00-\x1f\x7f]/.test(raw)) throw new UrlSyntaxError('net/url: invalid control character in URL');
  if (raw === '' && viaRequest) throw new UrlSyntaxError('empty url');
  const blank = {
    scheme: '',
    opaque: '',
    user: undefined,
    host: '',
    path: '',
    rawPath: '',
    rawQuery: '',
    forceQuery: false,
    omitHost: false,
  };
  if (raw === '*') return {...blank, path: '*'};
  const {scheme, rest: afterScheme} = splitScheme(raw);
  const {rest: head, rawQuery, forceQuery} = splitQuery(afterScheme);
  const start = {...blank, scheme, rawQuery, forceQuery};
  if (!head.startsWith('/')) {
    if (scheme !== '') return {...start, opaque: head};
    if (viaRequest) throw new UrlSyntaxError('invalid URI for request');
    if (head.split('/', 1)[0]!.includes(':'))
      throw new UrlSyntaxError('first path segment in URL cannot contain colon');
  }
  if ((scheme !== '' || (!viaRequest && !head.startsWith('///'))) && head.startsWith('//')) {
    const slash = head.indexOf('/', 2);
    const authority = slash < 0 ? head.slice(2) : head.slice(2, slash);
    const {user, host} = parseAuthority(scheme, authority);
    return {...start, user, host, ...pathOf(slash < 0 ? '' : head.slice(slash))};
  }
  return {...start, omitHost: scheme !== '' && head.startsWith('/'), ...pathOf(head)};
}

function splitScheme(raw: string): {scheme: string; rest: string} {
  const colon = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(raw);
  if (colon) return {scheme: colon[0].slice(0, -1).toLowerCase(), rest: raw.slice(colon[0].length)};
  if (raw.startsWith(':')) throw new UrlSyntaxError('missing protocol scheme');
  return {scheme: '', rest: raw};
}

function splitQuery(text: string): {rest: string; rawQuery: string; forceQuery: boolean} {
  const mark = text.indexOf('?');
  if (mark < 0) return {rest: text, rawQuery: '', forceQuery: false};
  return {rest: text.slice(0, mark), rawQuery: text.slice(mark + 1), forceQuery: mark === text.length - 1};
}

function parseAuthority(scheme: string, authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return {user: undefined, host};
  const info = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(info)) throw new UrlSyntaxError('net/url: invalid userinfo');
  const colon = info.indexOf(':');
  const name = unescape(colon < 0 ? info : info.slice(0, colon), 'userPassword');
  return {user: {name, password: colon < 0 ? undefined : unescape(info.slice(colon + 1), 'userPassword')}, host};
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlSyntaxError('invalid IP-literal');
  if (open === 0) return parseLiteral(host);
  const first = host.indexOf(':');
  if (first >= 0) {
    // Lists of hosts, as some databases have them, are let pass but for http.
    checkPort(host.slice(scheme === 'http' || scheme === 'https' ? first : host.lastIndexOf(':')));
  }
  return unescape(host, 'host');
}

/** `[fe80::1%25eth0]:80`. */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlSyntaxError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const name = host.slice(1, close);
  const zone = name.indexOf('%25');
  const decoded =
    zone < 0 ? unescape(name, 'host') : unescape(name.slice(0, zone), 'host') + unescape(name.slice(zone), 'zone');
  try {
    if (readIp(fromBytes(decoded)).bytes.length === 4) throw new UrlSyntaxError('invalid IP-literal');
  } catch (error) {
    if (error instanceof IpSyntaxError) throw new UrlSyntaxError(`invalid host: ${error.message}`);
    throw error;
  }
  return `[${decoded}]${unescape(port, 'host')}`;
}

function checkPort(port: string): void {
  if (!/^(?::[0-9]*)?$/.test(port)) throw new UrlSyntaxError(`invalid port ${quoteBytes(port)} after host`);
}

function pathOf(raw: string): Pick<GoUrl, 'path' | 'rawPath'> {
  const path = unescape(raw, 'path');
  return {path, rawPath: escape(path, 'path') === raw ? '' : raw};
}

/** Decodes `%41`. Throws UrlSyntaxError. */
export function unescape(text: string, mode: Mode): string {
  const isHost = mode === 'host' || mode === 'zone';
  for (let at = isHost ? 0 : text.indexOf('%'); at >= 0 && at < text.length; at++) {
    const char = text[at]!;
    if (char === '%') {
      checkEscape(text, at, mode);
      at += 2;
    } else if (isHost && char < '\u0080' && mustEscape(char, mode)) {
      throw new UrlSyntaxError(`invalid character ${quoteBytes(char)} in host name`);
    }
  }
  const spaced = mode === 'query' ? text.replaceAll('+', ' ') : text;
  return spaced.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function checkEscape(text: string, at: number, mode: Mode): void {
  const escape = text.slice(at, at + 3);
  let bad = !/^%[0-9A-Fa-f]{2}$/.test(escape);
  if (!bad && escape !== '%25') {
    const code = Number.parseInt(escape.slice(1), 16);
    // In hosts only bytes beyond ASCII are escaped; in zones what could stand there as it is, and blanks.
    if (mode === 'host') bad = code < 0x80;
    if (mode === 'zone') bad = code !== 0x20 && mustEscape(String.fromCharCode(code), 'host');
  }
  if (bad) throw new UrlSyntaxError(`invalid URL escape ${quoteBytes(escape)}`);
}

/** What stays as it is, as the inside of a class. */
const unescaped: Readonly<Record<Mode, string>> = {
  path: 'A-Za-z0-9\\-_.~$&+,/:;=@',
  userPassword: 'A-Za-z0-9\\-_.~$&+,;=',
  host: 'A-Za-z0-9\\-_.~!$&\'()*+,;=:[\\]<>"',
  zone: 'A-Za-z0-9\\-_.~!$&\'()*+,;=:[\\]<>"',
  query: 'A-Za-z0-9\\-_.~',
  fragment: 'A-Za-z0-9\\-_.~$&+,/:;=?@!()*',
};
const modes = Object.keys(unescaped) as Mode[];
const escapedOne = new Map(modes.map(mode => [mode, new RegExp(`[^${unescaped[mode]}]`)]));
const escapedAll = new Map(modes.map(mode => [mode, new RegExp(`[^${unescaped[mode]}]`, 'g')]));
/** What `validEncoded` takes besides. */
const notEncoded = new Map(modes.map(mode => [mode, new RegExp(`[^${unescaped[mode]}!$&'()*+,;=:@[\\]%]`)]));
const escapes = Array.from({length: 256}, (_, code) => `%${code.toString(16).toUpperCase().padStart(2, '0')}`);

function mustEscape(char: string, mode: Mode): boolean {
  return escapedOne.get(mode)!.test(char);
}

export function escape(text: string, mode: Mode): string {
  return text.replace(escapedAll.get(mode)!, char => escapes[char.charCodeAt(0)]!);
}

/** The path in the encoding of the text where that is valid, else in the usual one. */
export function escapedPath(url: GoUrl): string {
  if (url.rawPath !== '' && validEncoded(url.rawPath, 'path')) return url.rawPath;
  return url.path === '*' ? '*' : escape(url.path, 'path');
}

function validEncoded(text: string, mode: Mode): boolean {
  return !notEncoded.get(mode)!.test(text);
}

export function hostname(url: GoUrl): string {
  return splitPort(url.host).name;
}

export function port(url: GoUrl): string {
  return splitPort(url.host).port;
}

function splitPort(host: string): {name: string; port: string} {
  const colon = /:[0-9]*$/.exec(host);
  const name = colon ? host.slice(0, colon.index) : host;
  const isLiteral = name.startsWith('[') && name.endsWith(']');
  return {name: isLiteral ? name.slice(1, -1) : name, port: colon ? colon[0].slice(1) : ''};
}

const maxParameters = 10_000;

/** Parameters in order of writing; those that cannot be read are left out, all of them when there are too many. */
export function* queryParameters(url: GoUrl): Iterable<readonly [string, string]> {
  const pairs = url.rawQuery.split('&', maxParameters + 1);
  if (pairs.length > maxParameters) return;
  for (const pair of pairs) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const [key, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    try {
      yield [unescape(key, 'query'), unescape(value, 'query')];
    } catch (error) {
      if (!(error instanceof UrlSyntaxError)) throw error;
    }
  }
}

/** Go's `URL.String`. */
export function urlText(url: GoUrl & {readonly fragment: string}): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`;
  if (url.opaque !== '') text += url.opaque;
  else {
    text += authorityText(url);
    const path = escapedPath(url);
    if (path !== '' && !path.startsWith('/') && url.host !== '') text += '/';
    if (text === '' && path.split('/', 1)[0]!.includes(':')) text += './';
    text += path;
  }
  if (url.forceQuery || url.rawQuery !== '') text += `?${url.rawQuery}`;
  return url.fragment === '' ? text : `${text}#${escapedFragment(url.fragment)}`;
}

function escapedFragment(raw: string): string {
  return validEncoded(raw, 'fragment') ? raw : escape(unescape(raw, 'fragment'), 'fragment');
}

function authorityText(url: GoUrl): string {
  const {scheme, host, user, path, omitHost} = url;
  if (scheme === '' && host === '' && user === undefined) return '';
  if (omitHost && host === '' && user === undefined) return '';
  let text = host !== '' || path !== '' || user !== undefined ? '//' : '';
  if (user) {
    text += escape(user.name, 'userPassword');
    if (user.password !== undefined) text += `:${escape(user.password, 'userPassword')}`;
    text += '@';
  }
  return text + escape(host, 'host');
}
