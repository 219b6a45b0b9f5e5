import type {Log} from '../log.js';
import type {ChangeHandler, Reflector} from './reflector.js';

/** Who hears of a reflector's changes and progress; one that throws keeps it from no other. */
export interface ReflectorListeners extends Pick<Reflector, 'subscribe' | 'onProgress'> {
  readonly changed: ChangeHandler;
  progressed(resourceVersion: string): void;
}

export function createReflectorListeners({kind, log, onChange}: {readonly kind: string; readonly log: Log; readonly onChange?: ChangeHandler | undefined}): ReflectorListeners {
  const handlers = new Set<ChangeHandler>(onChange ? [onChange] : []);
  const progressHandlers = new Set<(resourceVersion: string) => void>();
  return {
    changed(key, object, old) {
      for (const handler of handlers) {
        try {
          handler(key, object, old);
        } catch (error) {
          log.error('a change handler failed', {kind, key, error: String(error)});
        }
      }
    },
    progressed(resourceVersion) {
      for (const handler of progressHandlers) {
        try {
          handler(resourceVersion);
        } catch (error) {
          log.error('a progress handler failed', {kind, error: String(error)});
        }
      }
    },
    subscribe(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    onProgress(handler) {
      progressHandlers.add(handler);
      return () => progressHandlers.delete(handler);
    },
  };
}
