import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {createServer} from 'node:http';
import {mkdir, mkdtemp, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {makeImage} from '../../scripts/image/make-image.js';
import {nodeVersion} from '../../scripts/image/pins.js';
import {imageTool} from '../../scripts/image/tool.js';
import packageJson from '../../package.json' with {type: 'json'};

const start = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const names = ['amd64', 'arm64'] as const;
const ours = process.arch === 'arm64' ? 'arm64' : 'amd64';

let folder = '';
let registry: ChildProcess;
let address = '';
let digest = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-'));
  const tool = await imageTool();
  registry = spawn(tool, ['registry'], {stdio: ['ignore', 'pipe', 'ignore']});
  address = await new Promise<string>((done, fail) => {
    registry.stdout!.once('data', chunk => done(String(chunk).trim()));
    registry.once('exit', () => fail(new Error('the registry ended')));
  });
  digest = await makeImage({names, out: join(folder, 'build'), push: `${address}/kyverno-ts:test`, reuse: true});
  for (const name of names) {
    const root = join(folder, name);
    await mkdir(root);
    await start(tool, ['unpack', '--from', `${address}/kyverno-ts@${digest}`, '--arch', name, '--to', `${root}.tar`, '--config', `${root}.json`]);
    await start('tar', ['xf', `${root}.tar`, '-C', root]);
  }
});
afterAll(async () => {
  registry?.kill();
  await rm(folder, {recursive: true, force: true});
});

/** Runs in the image's root: read-only, no capabilities, a user that nobody knows, an empty /tmp of its own. */
function inImage(words: readonly string[]) {
  const root = join(folder, ours);
  const variables = Object.entries({PATH: '/usr/bin', HOME: '/tmp', NODE_OPTIONS: '--disable-warning=DEP0040 --v8-pool-size=1'}).map(([name, value]) => `${name}=${value}`);
  const script = [
    'set -e',
    `mount --bind ${root} ${root}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp`,
    `mount -o remount,bind,ro ${root}`,
    `exec env -i ${variables.join(' ')} "$(command -v chroot)" --userspec=1000680000:0 --groups= ${root} "$@"`,
  ].join('\n');
  return {program: 'unshare', args: ['--mount', '--propagation', 'private', '/bin/sh', '-c', script, 'sh', ...words]};
}

async function runInImage(words: readonly string[]): Promise<{readonly code: number; readonly out: string; readonly err: string}> {
  const {program, args} = inImage(words);
  return start(program, args).then(
    ({stdout, stderr}) => ({code: 0, out: stdout, err: stderr}),
    (error: {code: number; stdout: string; stderr: string}) => ({code: error.code, out: error.stdout, err: error.stderr}),
  );
}

/** An API server that has the kinds without which the operator does not go on; `undefined`: another path. */
function discovery(path: string): object | undefined {
  const groups = {'kyverno.io/v1': ['ClusterPolicy', 'Policy'], 'wgpolicyk8s.io/v1alpha2': ['PolicyReport']};
  if (path === '/api') return {kind: 'APIVersions', versions: []};
  if (path === '/apis') {
    return {kind: 'APIGroupList', groups: Object.keys(groups).map(groupVersion => ({name: groupVersion.split('/')[0], versions: [{groupVersion, version: groupVersion.split('/')[1]}]}))};
  }
  const kinds = Object.entries(groups).find(([groupVersion]) => path === `/apis/${groupVersion}`)?.[1];
  return kinds && {kind: 'APIResourceList', resources: kinds.map(kind => ({kind, name: `${kind.toLowerCase().replace(/y$/, 'ie')}s`, namespaced: !kind.startsWith('Cluster'), verbs: ['list']}))};
}

describe('the image', () => {
  it('is known by its digest, and there for both architectures', async () => {
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const machines = {amd64: 0x3e, arm64: 0xb7};
    for (const name of names) {
      const config = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as {architecture: string; os: string; config: {User: string; Env: string[]}};
      expect(config).toMatchObject({architecture: name, os: 'linux', config: {User: '65532', Entrypoint: ['/usr/bin/kyverno'], Cmd: ['operator']}});
      const node = await readFile(join(folder, name, 'usr/bin/node'));
      // The machine of an ELF file.
      expect(node.readUInt16LE(18)).toBe(machines[name]);
    }
  });

  it('has no shell, no package manager and nothing that only some may read', async () => {
    const root = join(folder, ours);
    for (const path of ['bin/sh', 'usr/bin/sh', 'usr/bin/env', 'usr/bin/apt', 'usr/bin/npm']) await expect(stat(join(root, path)), path).rejects.toThrow('ENOENT');
    const {stdout} = await start('find', [root, '(', '-type', 'f', '!', '-perm', '-044', '-o', '-type', 'f', '-perm', '/6000', ')', '-print']);
    expect(stdout).toBe('');
  });

  it('says what of Debian is in it, under which licence', async () => {
    const root = join(folder, ours);
    for (const name of ['libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates']) {
      expect(await readFile(join(root, 'var/lib/dpkg/status.d', name), 'utf8')).toMatch(/^Version: /m);
      expect((await readFile(join(root, 'usr/share/doc', name, 'copyright'), 'utf8')).length).toBeGreaterThan(100);
    }
  });

  it.skipIf(!isRoot)('runs under a user that nobody knows, on a root that nothing can be written to', async () => {
    const version = await runInImage(['kyverno', 'version']);
    expect(version.err).toBe('');
    expect(version.out).toContain(`Version: ${packageJson.version}`);
    const script = 'const fs=require("fs");let w="";try{fs.writeFileSync("/x","")}catch(e){w=e.code};fs.writeFileSync("/tmp/x","");console.log(JSON.stringify({uid:process.getuid(),gid:process.getgid(),node:process.version,w,openssl:!!require("crypto").createHash("sha256"),zone:new Date(0).toISOString()}))';
    const {out, err} = await runInImage(['node', '-e', script]);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({uid: 1_000_680_000, gid: 0, node: `v${nodeVersion}`, w: 'EROFS', openssl: true});
  });

  it.skipIf(!isRoot)('looks up names and judges policies', async () => {
    // As a kubelet lays it over the image's.
    await writeFile(join(folder, ours, 'etc/hosts'), '127.0.0.1 localhost\n');
    const lookup = await runInImage(['node', '-e', 'require("dns").lookup("localhost",(e,a)=>console.log(e?e.code:a))']);
    expect(lookup.out.trim()).toBe('127.0.0.1');
    const root = join(folder, ours);
    await writeFile(join(root, 'policy.yaml'), 'apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec: {rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: m, pattern: {metadata: {labels: {app: "?*"}}}}}]}\n');
    await writeFile(join(root, 'pod.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: nginx}]}\n');
    const {code, out} = await runInImage(['kyverno', 'apply', '/policy.yaml', '--resource', '/pod.yaml']);
    expect(out).toContain('fail: 1');
    expect(code).toBe(1);
  });

  it.skipIf(!isRoot)('starts as the operator with its thread, and asks the API server that it is told of', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      const served = discovery(path);
      if (served !== undefined) {
        response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(served));
        return;
      }
      asked.push(`${request.method} ${request.url?.split('?')[0]} ${request.headers['user-agent']}`);
      const code = path.endsWith('/kyvernoconfigurations/default') ? 404 : 503;
      response.writeHead(code, {'content-type': 'application/json'}).end(JSON.stringify({kind: 'Status', status: 'Failure', code}));
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    const port = (server.address() as {port: number}).port;
    await writeFile(join(folder, ours, 'config'), JSON.stringify({apiVersion: 'v1', kind: 'Config', 'current-context': 'a', contexts: [{name: 'a', context: {cluster: 'a', user: 'a'}}], clusters: [{name: 'a', cluster: {server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true}}], users: [{name: 'a', user: {}}]}));
    const {program, args} = inImage(['kyverno', 'operator', '--kubeconfig=/config']);
    const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe']});
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (log += String(chunk)));
    const closed = new Promise(done => child.once('close', done));
    try {
      await expect.poll(() => asked.length, {timeout: 120_000, message: log}).toBeGreaterThan(0);
      expect(asked[0]).toMatch(/^GET \/.* kyverno/);
      // Reports are read by the thread alone.
      await expect.poll(() => asked.some(line => line.includes('/policyreports ')), {timeout: 120_000, message: log}).toBe(true);
    } finally {
      child.kill('SIGTERM');
      await closed;
      await new Promise(done => server.close(done));
    }
    expect(log).not.toMatch(/Warning:/);
  });
});
