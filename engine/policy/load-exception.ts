import type {JsonObject} from '../json/types.js';
import type {ClassicException, LoadResult} from './model.js';

/** A PolicyException of any served version (kyverno.io) → its canonical form, or every fault. Never throws. */
export function loadException(raw: JsonObject): LoadResult<ClassicException> {
  return {policy: undefined, errors: [{code: 'not-ready', message: `cannot load ${typeof raw}`, path: ''}], warnings: []};
}
