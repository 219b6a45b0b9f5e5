import {keyServiceOf, type KeyServiceLack} from '../../../engine/image/key-services.js';
import {type HashAlgorithm, ImageVerificationError} from '../../../engine/image/verification.js';
import type {Clock} from '../../clock.js';
import {untilAborted} from '../../http/name-lookup.js';
import {withTimeLimit} from '../../time-limit.js';
import {createAnswerCache} from '../cache/answer-cache.js';
import {createPool} from '../registry/pool.js';
import {readPublicKeys} from '../sigstore/keys.js';
import {pluginEnvironment} from './plugin-environment.js';
import {createPluginPrograms} from './plugin-program.js';
import {PluginFailure, publicKeyArgs, readPublicKey} from './plugin-protocol.js';
import {runPlugin} from './run-plugin.js';

export interface KeyServiceOptions {
  readonly clock: Clock;
  /** Absolute folder of `sigstore-kms-<scheme>`; empty = key services are not asked. */
  readonly directory: string;
  /** Variables that programs see, from `environment`. */
  readonly variables: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds of one run; 10 s when absent. */
  readonly timeoutMs?: number | undefined;
  /** Hears what a program says of its failure, which no message of a policy repeats. */
  readonly onFailure?: ((program: string, told: string) => void) | undefined;
}

export interface KeyServices {
  readonly lackOf: KeyServiceLack;
  /** PEM of one public key. Rejects with an `ImageVerificationError`. */
  publicKey(key: {readonly uri: string; readonly hash: HashAlgorithm}, signal: AbortSignal): Promise<string>;
}

const maxBytes = 64 * 1024;
/** A key that was rotated counts for so long. */
const keyTtlMs = 10 * 60_000;
const failureTtlMs = 5_000;
/** Programs at one time, in all and of one scheme: what never answers leaves room for others. */
const atOnce = {total: 4, perKey: 2};

/** Public keys of key services, by the plug-ins that somebody has put into a folder. Signatures are verified here. */
export function createKeyServices(options: KeyServiceOptions): KeyServices {
  const {clock, directory, variables, timeoutMs = 10_000, onFailure} = options;
  const programs = createPluginPrograms(directory, '--kmsPluginsDirectory');
  const environment = pluginEnvironment(options.environment, variables, '--kmsPluginEnvironment');
  const pool = createPool(atOnce);
  const kept = createAnswerCache<string>({clock, maxSize: 500, ttlMs: keyTtlMs, failureTtlMs: () => failureTtlMs});

  async function ask(uri: string, hash: HashAlgorithm): Promise<string> {
    const scheme = keyServiceOf(uri);
    if (scheme === undefined) throw unreachable(`${JSON.stringify(uri)} is no address of a key service`);
    const lack = programs.lackOf(scheme);
    if (lack !== undefined) throw unreachable(`key service ${scheme}: ${lack}`);
    const path = programs.pathOf(scheme);
    let isRunning = false;
    try {
      const output = await inTime(waiting =>
        pool(
          scheme,
          () => {
            isRunning = true;
            const args = publicKeyArgs({key: uri.slice(`${scheme}://`.length), hash, deadline: new Date(clock.now() + timeoutMs)});
            return inTime(running => runPlugin({path, args, environment, maxBytes}, running));
          },
          waiting,
        ),
      );
      const pem = readPublicKey(output);
      if (readPublicKeys(pem, 'its answer').length !== 1) throw new Error('gave more than one key');
      return pem;
    } catch (error) {
      if (error instanceof PluginFailure) onFailure?.(path, error.told);
      const why = isRunning ? messageOf(error) : 'too many programs are running';
      throw unreachable(`key service ${scheme}: program ${path}: ${why}`);
    }
  }

  /** Within a time of its own: whoever asked first may go, and others wait for the same answer. */
  function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeLimit(new AbortController().signal, timeoutMs, work);
  }

  return {
    lackOf: programs.lackOf,
    async publicKey({uri, hash}, signal) {
      return untilAborted(Promise.resolve(kept.get(`${hash} ${uri}`, () => ask(uri, hash))), signal);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it failed';
}

function unreachable(message: string): ImageVerificationError {
  return new ImageVerificationError(message, 'unreachable');
}
