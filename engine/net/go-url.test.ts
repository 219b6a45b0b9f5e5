import {describe, expect, it} from 'vitest';
import {escape, fromBytes, parseUrl, toBytes, UrlSyntaxError, unescape, urlText} from './go-url.js';

describe('a URL', () => {
  it.each([
    ['HTTP://u:p%20w@e.com:80/a b?x#f g', 'http://u:p%20w@e.com:80/a%20b?x#f%20g'],
    ['mailto:a@b', 'mailto:a@b'],
    ['file:/etc', 'file:/etc'],
    ['//e.com/p', '//e.com/p'],
    ['http://e.com?', 'http://e.com?'],
    ['http://ö.de/ä', 'http://%C3%B6.de/%C3%A4'],
    ['*', '*'],
    ['a/b:c', 'a/b:c'],
  ])('%s is printed as %s', (text, expected) => {
    expect(fromBytes(urlText(parseUrl(text)))).toBe(expected);
  });

  it.each([
    [':x', 'parse ":x": missing protocol scheme'],
    ['1:b', expect.stringContaining('first path segment in URL cannot contain colon')],
    ['http://[::1', 'parse "http://[::1": missing \']\' in host'],
    ['http://a b/', 'parse "http://a b/": invalid character " " in host name'],
    ['http://h/\u0007', 'parse "http://h/\\a": net/url: invalid control character in URL'],
  ])('%j is none', (text, message) => {
    let caught: unknown;
    try {
      parseUrl(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(UrlSyntaxError);
    expect((caught as UrlSyntaxError).message).toEqual(message);
  });

  it('decodes and encodes by the place a text has', () => {
    expect(fromBytes(unescape('a%C3%A4+b', 'query'))).toBe('aä b');
    expect(unescape('a+b', 'path')).toBe('a+b');
    expect(escape(toBytes('ä ?/'), 'path')).toBe('%C3%A4%20%3F/');
    expect(escape('a@:b', 'userPassword')).toBe('a%40%3Ab');
  });
});
