import {spawn} from 'node:child_process';
import type {Readable} from 'node:stream';

export interface KubectlOptions {
  /** Standard input. */
  readonly input?: string;
  /** Return a non-zero code instead of throwing. */
  readonly allowFailure?: boolean;
  /** Ends the command by SIGTERM (for `-f` and `-w`); its output so far is returned. */
  readonly signal?: AbortSignal;
  /** Another kubeconfig than the admin's. */
  readonly kubeconfig?: string;
}

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface KubectlPlace {
  readonly program: string;
  readonly kubeconfig: string;
  /** Home folder, so that the user's caches and settings stay out. */
  readonly home: string;
}

/** Runs kubectl; throws an Error with its stderr on failure. */
export async function runKubectl(
  {program, kubeconfig, home}: KubectlPlace,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<KubectlResult> {
  const env = {PATH: process.env['PATH'], HOME: home, KUBECONFIG: options.kubeconfig ?? kubeconfig};
  const child = spawn(program, args, {env, stdio: 'pipe'});
  const code = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve(status ?? (signal === null ? 1 : 128)));
  });
  const abort = () => child.kill('SIGTERM');
  options.signal?.addEventListener('abort', abort, {once: true});
  // kubectl may end before it read all its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  options.signal?.removeEventListener('abort', abort);
  if (status !== 0 && options.allowFailure !== true && options.signal?.aborted !== true) {
    throw new Error(`kubectl ${args.join(' ')} ended with ${status}: ${stderr.trim() || stdout.trim()}`);
  }
  return {stdout, stderr, code: status};
}

async function text(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
