import type {ObjectReader} from '../../adapters/kube/object-store.js';
import type {Manager} from './manager.js';

/** Reads a kind that is registered later than its reader is made; throws as `lister` does when it never is. */
export function lateReader(manager: Manager, key: string): ObjectReader {
  const reader = () => manager.lister(key);
  return {
    get size() {
      return reader().size;
    },
    get: objectKey => reader().get(objectKey),
    keys: () => reader().keys(),
    objects: () => reader().objects(),
    inNamespace: namespace => reader().inNamespace(namespace),
    byIndex: (index, value) => reader().byIndex(index, value),
  };
}
