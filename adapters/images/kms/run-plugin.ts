import {spawn} from 'node:child_process';

export interface PluginRun {
  /** Absolute path. */
  readonly path: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Bytes of its answer at most. */
  readonly maxBytes: number;
}

export interface PluginOutput {
  readonly stdout: Buffer;
  /** `undefined`: a signal ended it. */
  readonly code: number | undefined;
}

/**
 * Runs a program without a shell and without input until it ends, says too much or `signal` aborts. It is killed then with
 * all that it started; rejects with what is wrong.
 */
export function runPlugin({path, args, environment, maxBytes}: PluginRun, signal: AbortSignal): Promise<PluginOutput> {
  return new Promise((resolve, reject) => {
    // In a group of its own: a program that it started would hold its output open for as long as it likes.
    const child = spawn(path, args, {stdio: ['ignore', 'pipe', 'ignore'], cwd: '/', env: environment, detached: true});
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (message: string) => {
      signal.removeEventListener('abort', onAbort);
      killGroup(child.pid);
      child.stdout.destroy();
      reject(new Error(message));
    };
    const onAbort = () => fail('gave no answer in time');
    child.once('error', (error: NodeJS.ErrnoException) => fail(`cannot be run: ${error.code ?? 'unknown'}`));
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(`said more than ${maxBytes} bytes`);
      else chunks.push(chunk);
    });
    child.once('close', code => {
      signal.removeEventListener('abort', onAbort);
      resolve({stdout: Buffer.concat(chunks), code: code ?? undefined});
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, {once: true});
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
