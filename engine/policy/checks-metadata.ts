import {isObject, type JsonObject, own} from '../json/types.js';
import {at, type Faults} from './faults.js';

export function bareKey(key: string): string {
  return /^[+<=X^]?\((.*)\)$/.exec(key)?.[1] ?? key;
}

/** Labels and annotations of a pattern or patch must be strings: the object could never have anything else. */
export function checkStringMetadata(body: JsonObject, path: string, faults: Faults): void {
  for (const key of Object.keys(body)) {
    const metadata = own(body, key);
    if (bareKey(key) !== 'metadata' || !isObject(metadata)) continue;
    for (const field of Object.keys(metadata)) {
      const map = own(metadata, field);
      if (!['labels', 'annotations'].includes(bareKey(field)) || !isObject(map)) continue;
      for (const name of Object.keys(map)) {
        const value = own(map, name);
        if (typeof value === 'string' || value === null || bareKey(name) !== name || name.startsWith('$')) continue;
        faults.error(
          'metadata-not-string',
          at(at(at(path, key), field), name),
          'labels and annotations supports only string values, "use double quotes around the non string values"',
        );
      }
    }
  }
}
