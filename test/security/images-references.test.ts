import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type HostileServer, startHostileServer} from './support/hostile-server.js';
import {createTestImages, manifestOf, open, options, refusal, sendManifest, sha256} from './support/images.js';

const manifest = manifestOf('{}');
let registry: HostileServer;

beforeAll(async () => {
  registry = await startHostileServer((_, response) => sendManifest(response, manifest));
});
afterAll(() => registry.close());

describe('a reference', () => {
  it.each<[string, (host: string) => string]>([
    ['with letters that only look like others', host => `${host}/аpp:v1`],
    ['with full-width letters', host => `${host}/ａpp:v1`],
    ['with a joiner between letters', host => `${host}/a\u200dpp:v1`],
    ['with a mark that turns the text around', host => `${host}/\u202eapp:v1`],
    ['with upper-case letters in its path', host => `${host}/App:v1`],
    ['with a dotless i, which has an upper case in ASCII', host => `${host}/\u0131mage:v1`],
    ['with the sign of the kelvin, which has a lower case in ASCII', host => `${host}/\u212aernel:v1`],
    ['with a step up', host => `${host}/../app:v1`],
    ['with an encoded step up', host => `${host}/%2e%2e/app:v1`],
    ['with an encoded slash', host => `${host}/a%2fb:v1`],
    ['with a query', host => `${host}/app?x=/manifests/v1:v1`],
    ['with a fragment', host => `${host}/app#:v1`],
    ['with a user before the host', host => `user:pass@${host}/app:v1`],
    ['with a scheme', host => `http://${host}/app:v1`],
    ['with a line break', host => `${host}/app:v1\r\nhost: evil`],
    ['with a null byte', host => `${host}/app\0:v1`],
    ['with a backslash', host => `${host}\\app:v1`],
    ['with spaces around it', host => ` ${host}/app:v1 `],
    ['with two tags', host => `${host}/app:v1:v2`],
    ['with two digests', host => `${host}/app@${sha256('a')}@${sha256('b')}`],
    ['with a digest in upper case', host => `${host}/app@${sha256('a').toUpperCase().replace('SHA256', 'sha256')}`],
    ['with a digest that is too short', host => `${host}/app@sha256:${'a'.repeat(32)}`],
    ['with a digest of a broken algorithm', host => `${host}/app@md5:${'a'.repeat(32)}`],
    ['with a digest of an unknown algorithm', host => `${host}/app@sha256+x:${'a'.repeat(64)}`],
    ['with a tag of other letters', host => `${host}/app:ｖ1`],
    ['that is very long', host => `${host}/${'a'.repeat(5000)}`],
    ['that is empty', () => ''],
  ])('%s reaches no registry', async (_, text) => {
    const images = createTestImages({lookup: async () => []});
    const before = registry.requests.length;
    await refusal(() => images.resolveDigest(text(registry.host), open, options()));
    await refusal(() => images.imageData(text(registry.host), open, options()));
    expect(registry.requests.length).toBe(before);
  });

  it('without tricks does', async () => {
    const images = createTestImages();
    expect(await images.resolveDigest(`${registry.host}/app:v1`, open, options())).toBe(sha256(manifest));
  });

  it('names one registry, however its host is written', async () => {
    const images = createTestImages({lookup: async () => ['127.0.0.1']});
    const lower = await images.resolveDigest(`localhost:${registry.port}/app:v2`, open, options());
    const count = registry.requests.length;
    expect(await images.resolveDigest(`LOCALHOST:${registry.port}/app:v2`, open, options())).toBe(lower);
    // One name, one entry of the cache.
    expect(registry.requests.length).toBe(count);
  });
});
