import {spawn} from 'node:child_process';
import {isAbsolute, join} from 'node:path';
import {parseJsonBytes} from '../../../engine/json/parse.js';
import {isObject, type JsonObject, own} from '../../../engine/json/types.js';
import {textOf} from '../../../engine/json/text.js';
import {withTimeLimit} from '../../time-limit.js';
import {hub} from '../image-name.js';
import type {Keychain} from './credential.js';

export interface HelperOptions {
  /** Absolute folders that hold `docker-credential-<name>`; nothing else is ever run. */
  readonly directories: readonly string[];
  /** Milliseconds of one run; 10 s when absent. */
  readonly timeoutMs?: number | undefined;
}

const maxBytes = 64 * 1024;

/** Asks the helper `docker-credential-<name>` for a registry, by the protocol of Docker's credential helpers. */
export function createHelperKeychain(name: string, {directories, timeoutMs = 10_000}: HelperOptions): Keychain {
  if (!isHelperName(name)) throw new Error(`${JSON.stringify(name)} is no name of a credential helper`);
  if (directories.some(directory => !isAbsolute(directory))) throw new Error('folders of credential helpers must be absolute');
  return async (registry, _repository, signal) => {
    const server = registry === hub ? 'https://index.docker.io/v1/' : registry;
    for (const directory of directories) {
      const answer = await withTimeLimit(signal, timeoutMs, limited => run(join(directory, `docker-credential-${name}`), server, limited));
      if (answer === 'absent') continue;
      if (answer === 'none') return undefined;
      const username = textOf(own(answer, 'Username'));
      const secret = textOf(own(answer, 'Secret'));
      const owner = `helper ${name}`;
      if (username === '<token>') return {username: '', password: '', identityToken: secret, owner};
      return secret === '' ? undefined : {username, password: secret, owner};
    }
    throw new Error(`credential helper docker-credential-${name} is not installed`);
  };
}

/** No path, no option. */
export function isHelperName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/i.test(name);
}

/** `none`: the helper has no login for the server. */
function run(path: string, server: string, signal: AbortSignal) {
  return new Promise<JsonObject | 'absent' | 'none'>((resolve, reject) => {
    // Without a shell, and without what the operator's own environment holds but for a home and a path.
    const {HOME, PATH} = process.env;
    const child = spawn(path, ['get'], {stdio: ['pipe', 'pipe', 'ignore'], env: {HOME, PATH}, signal, killSignal: 'SIGKILL'});
    const chunks: Buffer[] = [];
    let size = 0;
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve('absent');
      else reject(new Error(`credential helper ${path} ${signal.aborted ? 'gave no answer in time' : `failed: ${error.code}`}`));
    });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.on('close', code => {
      const output = Buffer.concat(chunks);
      if (code !== 0) {
        const isNone = /credentials not found/i.test(output.toString('utf8'));
        if (isNone) resolve('none');
        else reject(new Error(`credential helper ${path} failed with exit code ${code}`));
        return;
      }
      try {
        const json = parseJsonBytes(output);
        if (isObject(json)) return resolve(json);
      } catch {
        // Its text would quote a password.
      }
      reject(new Error(`credential helper ${path} gave no JSON object`));
    });
    child.stdin.on('error', () => {
      // A helper that ends without reading its question fails by its exit code.
    });
    child.stdin.end(server);
  });
}
