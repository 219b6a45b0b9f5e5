import {parseJson} from '../../engine/json/parse.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {Json} from '../../engine/json/types.js';
import {type ImageOptions, type ImageSource, ImageVerificationError} from '../../engine/image/verification.js';
import type {ImageAnswer, ImageQuestion} from './calls.js';

/**
 * What admission found out about images counts in the background, too: where nobody is to be fetched from, its caches are asked before our
 * own. `own` fetches where that is wanted.
 */
export function createSharedImages(own: ImageSource, ask: (question: ImageQuestion) => Promise<ImageAnswer>): ImageSource {
  async function first<T>(question: ImageQuestion, options: ImageOptions, fetch: () => Promise<T> | T): Promise<T> {
    // Who may fetch has caches of its own, with times of life of their own.
    if (options.cacheOnly !== true) return fetch();
    const answer = await ask(question);
    if (answer === 'unknown') return fetch();
    if ('reason' in answer) throw new ImageVerificationError(answer.message, answer.reason);
    return parseJson(answer.text) as T;
  }
  const {verifyBlob} = own;
  return {
    imageData: (image, access, options) => first({method: 'imageData', image, access, deadline: options.deadline}, options, () => own.imageData(image, access, options)),
    resolveDigest: (image, access, options) => first({method: 'resolveDigest', image, access, deadline: options.deadline}, options, () => own.resolveDigest(image, access, options)),
    verifySignature: (query, options) => first({method: 'verifySignature', query, deadline: options.deadline}, options, () => own.verifySignature(query, options)),
    verifyAttestations: (query, options) => first({method: 'verifyAttestations', query, deadline: options.deadline}, options, () => own.verifyAttestations(query, options)),
    ...(verifyBlob && {verifyBlob}),
  };
}

/** Answers from what `images` has in its caches; nobody else is asked. */
export async function knownOfImages(images: ImageSource, question: ImageQuestion): Promise<ImageAnswer> {
  const options: ImageOptions = {deadline: question.deadline, useCache: true, cacheOnly: true};
  try {
    return {text: stringifyJson((await known(images, question, options)) as Json)};
  } catch (error) {
    if (!(error instanceof ImageVerificationError)) throw error;
    return error.reason === 'uncached' ? 'unknown' : {reason: error.reason, message: error.message};
  }
}

function known(images: ImageSource, question: ImageQuestion, options: ImageOptions) {
  switch (question.method) {
    case 'imageData':
    case 'resolveDigest':
      return images[question.method](question.image, question.access, options);
    case 'verifySignature':
      return images.verifySignature(question.query, options);
    case 'verifyAttestations':
      return images.verifyAttestations(question.query, options);
  }
}
