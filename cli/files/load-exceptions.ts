import {formatDiagnostic} from '../../engine/diagnostic.js';
import {isObject, type JsonObject} from '../../engine/json/types.js';
import {loadException} from '../../engine/policy/index.js';
import {readDocuments, readText, takeApart} from './documents.js';
import {FileError, messageOf} from './file-error.js';
import {policyFamily} from './policy-kinds.js';

/** Exceptions for classic policies, and those for CEL policies. */
export interface Exceptions {
  readonly classic: readonly JsonObject[];
  readonly cel: readonly JsonObject[];
}

export const noExceptions: Exceptions = {classic: [], cel: []};

/** Files of PolicyExceptions and nothing else. Throws `FileError` with the first fault. */
export async function loadExceptionFiles(paths: readonly string[]): Promise<Exceptions> {
  const objects: JsonObject[] = [];
  try {
    for (const path of paths) {
      for (const document of readDocuments(await readText(path), path)) {
        for (const value of takeApart(document.value, `${path}:${document.line}`)) {
          const family = isObject(value) ? policyFamily(value) : undefined;
          if (!isObject(value) || (family !== 'exception' && family !== 'cel-exception')) {
            throw new FileError(`${path}:${document.line}: policy exception type not supported`);
          }
          objects.push(value);
        }
      }
    }
    const exceptions = sortExceptions(objects);
    for (const exception of exceptions.classic) checkException(exception);
    return exceptions;
  } catch (error) {
    throw new FileError(`failed to load exceptions (${messageOf(error)})`);
  }
}

export function sortExceptions(objects: readonly JsonObject[]): Exceptions {
  return {
    classic: objects.filter(object => policyFamily(object) === 'exception'),
    cel: objects.filter(object => policyFamily(object) === 'cel-exception'),
  };
}

/** Throws `FileError` with everything that is wrong with an exception. */
export function checkException(exception: JsonObject): void {
  const {errors} = loadException(exception);
  if (errors.length > 0) throw new FileError(errors.map(formatDiagnostic).join('; '));
}

/** Valid ones only, for exceptions found among resources. */
export function isValidException(exception: JsonObject): boolean {
  return loadException(exception).errors.length === 0;
}
