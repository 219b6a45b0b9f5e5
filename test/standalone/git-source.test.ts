import {execFileSync, spawn} from 'node:child_process';
import {createServer, type Server} from 'node:http';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {run} from './support/serve-process.js';

const folder = mkdtempSync(join(tmpdir(), 'git-source-'));
const resource = join(folder, 'pod.yaml');
let server: Server;
let url: string;

/** Git's own server side, as CGI behind a small HTTP server on loopback. */
beforeAll(async () => {
  makeRepository(join(folder, 'team', 'policies'));
  writeFileSync(resource, 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: nginx}]}\n');
  server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method ?? 'GET',
        PATH_INFO: `${path.replace(/^\/team\/policies/, '/team/policies/.git')}`,
        QUERY_STRING: query,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      for (const line of answer.subarray(0, end).toString().split('\r\n')) {
        const [name = '', ...value] = line.split(': ');
        if (name === 'Status') response.statusCode = Number.parseInt(value.join(': '), 10);
        else response.setHeader(name, value.join(': '));
      }
      response.end(answer.subarray(end + 4));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/team/policies`;
});

afterAll(async () => {
  await new Promise(resolve => server.close(resolve));
  rmSync(folder, {recursive: true, force: true});
});

function makeRepository(path: string): void {
  mkdirSync(join(path, 'pods'), {recursive: true});
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {stdio: 'pipe'});
  git('init', '-q', '-b', 'main');
  writeFileSync(join(path, 'pods', 'owner.yaml'), policy('owner'));
  git('add', '.');
  git('commit', '-q', '-m', 'main');
  git('checkout', '-q', '-b', 'next');
  writeFileSync(join(path, 'pods', 'tier.yaml'), policy('tier'));
  git('add', '.');
  git('commit', '-q', '-m', 'next');
}

function policy(label: string): string {
  const pattern = `{metadata: {labels: {${label}: "?*"}}}`;
  const rule = `{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: ${label} is missing, pattern: ${pattern}}}`;
  return `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: ${label}}\nspec: {rules: [${rule}]}\n`;
}

describe('policies from a git repository', () => {
  it('are those of main when the address names no branch', async () => {
    const {code, stdout} = await run(['apply', url, '-r', resource]);
    expect(stdout).toContain('owner is missing');
    expect(stdout).not.toContain('tier is missing');
    expect(code).toBe(1);
  });

  it('are those of the branch that follows in the address', async () => {
    const {stdout} = await run(['apply', `${url}/next`, '-r', resource]);
    expect(stdout).toContain('owner is missing');
    expect(stdout).toContain('tier is missing');
  });

  it('are those of a folder when the branch is given apart', async () => {
    const {stdout} = await run(['apply', `${url}/pods`, '--git-branch', 'next', '-r', resource]);
    expect(stdout).toContain('tier is missing');
  });

  it('of a branch that does not exist are a clear error', async () => {
    const {code, stderr} = await run(['apply', `${url}/nowhere`, '-r', resource]);
    expect(`${code} ${stderr}`).toContain('nowhere');
  });
});
