import {type FSWatcher, watch} from 'node:fs';
import type {Log} from '../log.js';

const quietMs = 100;

/**
 * Calls `onChange` some time after anything below `root` changed, once per burst. The returned function ends it.
 * Editors replace files by renaming, so only "something changed" is trusted; the caller reads anew.
 */
export function watchTree(root: string, onChange: () => void, log: Log): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, quietMs);
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(root, {recursive: true}, changed);
    watcher.on('error', error => log.error('watching files failed; changes are no longer seen', {root, error: error.message}));
  } catch (error) {
    log.error('watching files failed; changes are not seen', {root, error: error instanceof Error ? error.message : String(error)});
  }
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}
