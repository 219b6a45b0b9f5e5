import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {createHelperKeychain} from './credentials/credential-helper.js';
import {loginOf, readDockerConfig} from './credentials/docker-config.js';
import {createDockerKeychain} from './credentials/docker-keychain.js';
import {readImageName, readRepository} from './image-name.js';
import {parseChallenges} from './registry/challenge.js';
import {belongsTo} from './registry/hosts.js';
import {createPool} from './registry/pool.js';
import {readProxies} from './registry/proxy.js';
import {rootOf} from './sigstore/checkpoint.js';
import {sha256} from './sigstore/keys.js';

const signal = new AbortController().signal;

describe('names of images', () => {
  it.each([
    ['nginx', 'index.docker.io', 'library/nginx', 'latest'],
    ['docker.io/nginx:1', 'index.docker.io', 'library/nginx', '1'],
    ['registry-1.docker.io/library/nginx:1', 'index.docker.io', 'library/nginx', '1'],
    ['GHCR.io/Team/app', '', '', ''],
    ['REG.example:5000/app:v', 'reg.example:5000', 'app', 'v'],
  ])('%s', (text, registry, repository, tag) => {
    if (registry === '') expect(() => readImageName(text)).toThrow('no image reference');
    else expect(readImageName(text)).toMatchObject({registry, repository, tag});
  });

  it('of repositories have no tag', () => {
    expect(readRepository('reg.example:5000/a/b')).toEqual({registry: 'reg.example:5000', repository: 'a/b'});
    expect(() => readRepository('reg.example/a:1')).toThrow('no repository');
  });
});

describe('challenges', () => {
  it('are read with quoted values and several at once', () => {
    const [bearer, basic] = parseChallenges('Bearer realm="https://a/t",service="a \\"b\\"", scope="x:y:pull,push" , Basic realm=z');
    expect(bearer).toMatchObject({scheme: 'bearer'});
    expect(Object.fromEntries(bearer!.parameters)).toEqual({realm: 'https://a/t', service: 'a "b"', scope: 'x:y:pull,push'});
    expect(basic).toMatchObject({scheme: 'basic'});
  });

  it.each(['', '"', 'Bearer realm="', '='.repeat(10_000)])('that are none end the reading', text => {
    expect(parseChallenges(text).every(({parameters}) => parameters.size === 0)).toBe(true);
  });
});

describe('token services', () => {
  it.each([
    ['auth.docker.io', 'registry-1.docker.io', true],
    ['gitlab.com', 'registry.gitlab.com', true],
    ['quay.io', 'quay.io', true],
    ['127.0.0.1:1', '127.0.0.1:2', true],
    ['evil.io', 'quay.io', false],
    ['io', 'quay.io', false],
    ['quay.io.evil.example', 'quay.io', false],
    ['10.0.0.2', '10.0.0.3', false],
  ])('%s of %s: %s', (realm, registry, expected) => expect(belongsTo(realm, registry)).toBe(expected));
});

describe('logins of Docker', () => {
  const auth = (text: string) => Buffer.from(text).toString('base64');
  const config = readDockerConfig(
    Buffer.from(
      JSON.stringify({
        auths: {
          'https://index.docker.io/v1/': {auth: auth('hub:p')},
          'reg.example': {username: 'all', password: 'p'},
          'reg.example/team': {auth: auth('team:p:q')},
          '*.azure.example': {identitytoken: 't'},
          empty: {},
        },
      }),
    ),
  );
  it.each([
    ['index.docker.io', 'library/nginx', 'hub'],
    ['reg.example', 'other', 'all'],
    ['reg.example', 'team/app', 'team'],
    ['reg.example', 'teams/app', 'all'],
    ['a.azure.example', 'app', ''],
  ])('for %s/%s: %s', (registry, repository, username) => expect(loginOf(config, registry, repository)).toMatchObject({username}));

  it.each(['a.b.azure.example', 'azure.example', 'empty', 'none'])('none for %s', registry => expect(loginOf(config, registry, 'app')).toBeUndefined());

  it('are never quoted in errors', () => {
    expect(() => readDockerConfig(Buffer.from('{"auths":{"r":{"password":"hunter2"}'))).toThrow(/^it is no JSON$/);
  });
});

describe('credential helpers', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'helpers-'));
    const write = async (name: string, script: string) => {
      await writeFile(join(folder, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`);
      await chmod(join(folder, `docker-credential-${name}`), 0o755);
    };
    await write('good', 'read server; printf \'{"ServerURL":"%s","Username":"u","Secret":"for-%s"}\' "$server" "$server"');
    await write('none', 'echo credentials not found in native keychain; exit 1');
    await write('bad', 'echo secret; exit 3');
    await write('slow', 'exec sleep 600');
    await write('env', 'printf \'{"Username":"u","Secret":"%s"}\' "${AWS_SECRET_ACCESS_KEY:-nothing}"');
    await writeFile(join(folder, 'config.json'), JSON.stringify({credHelpers: {'reg.example': 'good'}, auths: {'plain.example': {username: 'x', password: 'y'}}}));
  });
  afterAll(() => rm(folder, {recursive: true}));
  const ask = (name: string) => createHelperKeychain(name, {directories: [folder], timeoutMs: 3_000})('reg.example', 'app', signal);

  it('answer by their protocol', async () => {
    expect(await ask('good')).toEqual({username: 'u', password: 'for-reg.example', owner: 'helper good'});
    expect(await ask('none')).toBeUndefined();
  });

  it('fail without their output, and in time', async () => {
    await expect(ask('bad')).rejects.toThrow(/exit code 3$/);
    await expect(ask('slow')).rejects.toThrow('no answer in time');
    await expect(ask('absent')).rejects.toThrow('not installed');
  });

  it('do not see the environment', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'hunter2';
    try {
      expect(await ask('env')).toMatchObject({password: 'nothing'});
    } finally {
      delete process.env['AWS_SECRET_ACCESS_KEY'];
    }
  });

  it.each(['../good', 'a b', '-x', '', 'good;id'])('have no other names: %j', name => expect(() => createHelperKeychain(name, {directories: [folder]})).toThrow('no name'));

  it('are those that the Docker config names', async () => {
    const keychain = createDockerKeychain({directory: folder, directories: [folder]});
    expect(await keychain('reg.example', 'app', signal)).toMatchObject({owner: 'helper good'});
    expect(await keychain('plain.example', 'app', signal)).toMatchObject({username: 'x', owner: 'the Docker config'});
    expect(await createDockerKeychain({directory: join(folder, 'none'), directories: []})('reg.example', 'app', signal)).toBeUndefined();
  });
});

describe('a pool', () => {
  it('keeps room for other hosts, and lets nobody wait beyond its signal', async () => {
    const pool = createPool({total: 3, perKey: 2});
    const ends: Array<() => void> = [];
    const hang = () => pool('slow', () => new Promise<void>(end => ends.push(end)), signal);
    const hanging = [hang(), hang()];
    const impatient = new AbortController();
    const third = pool('slow', async () => 'never', impatient.signal);
    expect(await pool('fast', async () => 'done', signal)).toBe('done');
    impatient.abort();
    await expect(third).rejects.toThrow('aborted');
    for (const end of ends) end();
    await Promise.all(hanging);
    expect(await pool('slow', async () => 'done', signal)).toBe('done');
  });
});

describe('proxies', () => {
  const choose = readProxies({HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'internal.example,.corp, 10.0.0.1'});
  it.each([
    ['https://ghcr.io/', 'proxy:3128'],
    ['http://ghcr.io/', undefined],
    ['https://internal.example/', undefined],
    ['https://a.internal.example/', undefined],
    ['https://reg.corp/', undefined],
    ['https://notcorp/', 'proxy:3128'],
    ['https://10.0.0.1/', undefined],
  ])('of %s: %s', (url, host) => expect(choose(new URL(url))?.host).toBe(host));

  it('have http URLs', () => expect(() => readProxies({HTTP_PROXY: 'socks5://p'})).toThrow('HTTP_PROXY'));
});

describe('proofs of inclusion', () => {
  const leaf = (index: number) => Buffer.from(`leaf ${index}`);
  const hashLeaf = (index: number) => sha256(Buffer.of(0), leaf(index));
  /** The tree of RFC 9162, and the path of one leaf, lowest first. */
  function tree(from: number, to: number, index: number): {hash: Buffer; path: Buffer[]} {
    if (to - from === 1) return {hash: hashLeaf(from), path: []};
    const split = from + 2 ** Math.floor(Math.log2(to - from - 1));
    const [left, right] = [tree(from, split, index), tree(split, to, index)];
    const path = index < split ? [...left.path, right.hash] : [...right.path, left.hash];
    return {hash: sha256(Buffer.of(1), left.hash, right.hash), path};
  }

  it('hold for every leaf of trees of every size, and for no other', () => {
    for (let size = 1; size <= 17; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const {hash, path} = tree(0, size, index);
        const at = {index: BigInt(index), size: BigInt(size), hashes: path};
        expect(Buffer.from(rootOf(leaf(index), at))).toEqual(hash);
        expect(Buffer.from(rootOf(Buffer.from('other'), at))).not.toEqual(hash);
        expect(() => rootOf(leaf(index), {...at, hashes: [...path, hash]})).toThrow('too long');
        if (path.length > 0) expect(() => rootOf(leaf(index), {...at, hashes: path.slice(1)})).toThrow('too short');
      }
    }
    expect(() => rootOf(leaf(0), {index: 1n, size: 1n, hashes: []})).toThrow('beyond the tree');
  });
});
