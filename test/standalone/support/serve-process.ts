import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {mkdtemp, rename, rm, writeFile} from 'node:fs/promises';
import {request} from 'node:https';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {eventually} from '../../cluster/eventually.js';
import {ensureBuilt} from '../../e2e/support/build.js';

export const repository = resolve(import.meta.dirname, '../../..');
export const program = join(repository, 'dist/kyverno.cjs');

/** Once per test file: sources may be newer each time while somebody works on them. */
let built: Promise<void> | undefined;

export interface ServeOptions {
  /** File or folder of policies. */
  readonly policies: string;
  /** Further arguments; ports are free ones unless named here. */
  readonly args?: readonly string[];
  /** Folder of certificates; default: one of its own. */
  readonly tlsDir?: string;
}

/** A running `kyverno serve`, as `npm start` starts it. */
export interface Served {
  readonly url: string;
  readonly caFile: string;
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until the log holds `wanted` behind its first `from` characters. */
  logged(wanted: string | RegExp, from?: number): Promise<void>;
  /** Posts a review, answers the response part of the answer. */
  review(path: string, request: unknown): Promise<ReviewResponse>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
}

export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {readonly message: string};
  readonly warnings?: readonly string[];
  /** Base64 of a JSON patch. */
  readonly patch?: string;
}

export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'kyverno-test-'));
}

/** Puts a file in place in one step, so that no reader sees half of it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kyverno-file-'));
  const fresh = join(folder, 'new');
  await writeFile(fresh, text);
  await rename(fresh, path);
  await rm(folder, {recursive: true});
}

/** Runs the program to its end. */
export async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{readonly code: number | null; readonly stdout: string; readonly stderr: string}> {
  await (built ??= ensureBuilt());
  const child = spawn(process.execPath, [program, ...args], {cwd: repository, env, stdio: ['ignore', 'pipe', 'pipe']});
  const output = collect(child);
  const code = await new Promise<number | null>(done => child.once('close', done));
  return {code, stdout: output.stdout(), stderr: output.stderr()};
}

/** Starts the standalone server on a free port and waits until it says where it listens. */
export async function startServe(options: ServeOptions): Promise<Served> {
  await (built ??= ensureBuilt());
  const tlsDir = options.tlsDir ?? (await temporaryFolder());
  const args = ['serve', '--policies', options.policies, '--tls-dir', tlsDir, '--port', '0', '--metrics-port', '0'];
  const child = spawn(process.execPath, [program, ...args, ...(options.args ?? [])], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const {stdout, stderr} = collect(child);
  const closed = new Promise<number | null>(done => child.once('close', done));
  const listening = /serves admission on (https:\/\/\S+:\d+),/;
  await eventually(() => listening.test(stdout()), {
    what: 'server listens',
    everyMs: 20,
    assertPossible() {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${stderr()}`);
    },
  });
  const url = listening.exec(stdout())![1]!;
  const caFile = join(tlsDir, 'ca.crt');
  const ca = readFileSync(caFile, 'utf8');
  return {
    url,
    caFile,
    process: child,
    stdout,
    stderr,
    async logged(wanted, from = 0) {
      const found = () => {
        const text = stderr().slice(from);
        return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
      };
      await eventually(found, {what: `log line ${wanted}`, everyMs: 10, timeoutMs: 30_000}).catch((cause: unknown) => {
        throw new Error(`the log has no ${wanted}:\n${stderr().slice(from)}`, {cause});
      });
    },
    review: (path, body) => review(`${url}${path}`, ca, body),
    async stop() {
      child.kill('SIGTERM');
      return closed;
    },
  };
}

/** Path of a sample of the repository. */
export function sample(path: string): string {
  const full = join(repository, 'docs/samples', path);
  if (!existsSync(full)) throw new Error(`${full} is missing`);
  return full;
}

function collect(child: ChildProcess): {readonly stdout: () => string; readonly stderr: () => string} {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {stdout: () => stdout, stderr: () => stderr};
}

function review(url: string, ca: string, admissionRequest: unknown): Promise<ReviewResponse> {
  const body = JSON.stringify({apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: admissionRequest});
  return new Promise((done, fail) => {
    const headers = {'Content-Type': 'application/json'};
    const call = request(url, {method: 'POST', ca, headers, agent: false}, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        if (response.statusCode !== 200) fail(new Error(`${response.statusCode}: ${text}`));
        else done((JSON.parse(text) as {response: ReviewResponse}).response);
      });
    });
    call.on('error', fail);
    call.end(body);
  });
}
