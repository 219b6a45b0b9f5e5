import {EvalError} from '../../diagnostic.js';
import {randomOfPattern} from '../../random/random-of-pattern.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {stringType} from '../types/type.js';
import {declare} from './declare.js';

const defaultPattern = '[0-9a-z]{8}';

/** Texts drawn at random that a regular expression matches. */
export const randomLibrary: Library = {
  name: 'kyverno.random',
  functions: declare(
    'random',
    ['random', 'random.random'],
    [
      {
        id: 'default',
        receiver: false,
        params: [],
        result: stringType,
        host: true,
        call: (host: CelHost) => draw(host, defaultPattern),
      },
      {
        id: 'pattern',
        receiver: false,
        params: [stringType],
        result: stringType,
        host: true,
        call: draw,
      },
    ],
  ),
};

function draw(host: CelHost, pattern: string): string {
  try {
    return randomOfPattern(pattern, host);
  } catch (thrown) {
    if (thrown instanceof EvalError && thrown.code !== 'budget') throw new CelError(thrown.message);
    throw thrown;
  }
}
