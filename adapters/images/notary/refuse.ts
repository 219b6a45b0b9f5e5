import {ImageVerificationError} from '../../../engine/image/verification.js';

/** What is signed is not what it has to be. */
export function unverified(message: string, options?: ErrorOptions): ImageVerificationError {
  return new ImageVerificationError(message, 'unverified', options);
}
