import type {RuleRun} from '../context/rule-run.js';
import {isPromise, Suspend} from '../context/suspend.js';
import {EvalError} from '../diagnostic.js';
import {
  type AttestationQuery,
  type ImageOptions,
  type ImageSource,
  ImageVerificationError,
  type RegistryAccess,
  type SignatureQuery,
  type VerifiedAttestations,
  type VerifiedSignature,
} from '../image/verification.js';

export type Refusal = {readonly reason: ImageVerificationError['reason']; readonly message: string};
export type Answer<T> = {readonly value: T} | {readonly refusal: Refusal};

/** What rules of one request ask of registries: each question once, refusals as answers. */
export interface Registry {
  readonly signature: (query: SignatureQuery) => Answer<VerifiedSignature>;
  readonly attestations: (query: AttestationQuery) => Answer<VerifiedAttestations>;
  readonly digest: (image: string, access: RegistryAccess) => Answer<string>;
}

export interface RegistryOptions {
  readonly useCache: boolean;
}

const nobody: Refusal = {reason: 'unreachable', message: 'no registry is asked here'};

/** May suspend. Rejections that are no answer of a registry (of the scope, of a bug) are thrown. */
export function askRegistry(run: RuleRun, {useCache}: RegistryOptions): Registry {
  const {images} = run.loader;
  const ask = <Q extends object, T>(
    kind: string,
    query: Q,
    answer: (source: ImageSource, options: ImageOptions) => Promise<T> | T,
  ): Answer<T> => {
    if (images === undefined) return {refusal: nobody};
    const key = `${kind}:${String(useCache)}:${JSON.stringify(query)}`;
    return run.settle<Answer<T>>(key, ({deadline}) =>
      caught(() => answer(images, {deadline, useCache, ...(run.cachedImagesOnly && {cacheOnly: true})})),
    );
  };
  return {
    signature: query => ask('signature', query, (source, options) => source.verifySignature(query, options)),
    attestations: query => ask('attestations', query, (source, options) => source.verifyAttestations(query, options)),
    digest: (image, access) =>
      ask('digest', {image, access}, (source, options) => source.resolveDigest(image, access, options)),
  };
}

function caught<T>(ask: () => Promise<T> | T): Promise<Answer<T>> | Answer<T> {
  try {
    const value = ask();
    return isPromise(value) ? value.then(found => ({value: found}), refused<T>) : {value};
  } catch (error) {
    return refused<T>(error);
  }
}

function refused<T>(error: unknown): Answer<T> {
  if (error instanceof ImageVerificationError) return {refusal: {reason: error.reason, message: error.message}};
  if (error instanceof EvalError) throw error;
  // Whatever else went wrong, nobody has vouched for the image.
  throw new EvalError(error instanceof Error ? error.message : String(error));
}

/** Runs all tasks until each has its answer or waits, then waits for all of them at once. */
export function together<T>(tasks: ReadonlyArray<() => T>): T[] {
  const results: T[] = [];
  const waiting: Suspend[] = [];
  for (const task of tasks) {
    try {
      results.push(task());
    } catch (thrown) {
      if (!(thrown instanceof Suspend)) throw thrown;
      waiting.push(thrown);
    }
  }
  if (waiting.length === 0) return results;
  throw new Suspend(Promise.all(waiting.map(({promise}) => promise)).then(() => undefined));
}
