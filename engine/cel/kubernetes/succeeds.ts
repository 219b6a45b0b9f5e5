import {CelError} from '../errors.js';

/** `isX` beside `x`: true for texts that the parser takes. */
export function succeeds<A extends readonly unknown[]>(parse: (...args: A) => unknown): (...args: A) => boolean {
  return (...args) => {
    try {
      parse(...args);
      return true;
    } catch (error) {
      if (error instanceof CelError) return false;
      throw error;
    }
  };
}
