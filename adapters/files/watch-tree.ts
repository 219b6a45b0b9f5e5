import {type FSWatcher, readdirSync, realpathSync, statSync, watch} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import type {Log} from '../log.js';

const quietMs = 100;

/**
 * Calls `onChange` some time after anything below `root` (a folder or one file) changed, once per burst. The returned
 * function ends it. Editors replace files by renaming, so only "something changed" is trusted; the caller reads anew.
 *
 * Each folder has a watch of its own: Node's recursive watch loses sight of a file that another one is renamed over.
 */
export function watchTree(root: string, onChange: () => void, log: Log): () => void {
  const path = resolve(root);
  const watchers = new Map<string, {readonly watcher: FSWatcher; readonly inode: number}>();
  let timer: NodeJS.Timeout | undefined;

  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // First: what changes from here on is told again, what changed before is about to be read.
      follow();
      onChange();
    }, quietMs);
  };

  /** Watches every folder that is there now, and the one that holds `root`: it may be replaced as a whole. */
  function follow(): void {
    const wanted = foldersOf(path);
    const parent = dirname(path);
    for (const [folder, {watcher, inode}] of watchers) {
      if (folder === parent || wanted.get(folder) === inode) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const [folder, inode] of wanted) if (!watchers.has(folder)) start(folder, {inode});
    if (!watchers.has(parent)) start(parent, {inode: 0, name: basename(path)});
  }

  function start(folder: string, {inode, name}: {readonly inode: number; readonly name?: string}): void {
    const failed = (error: unknown) => {
      watchers.delete(folder);
      const text = error instanceof Error ? error.message : String(error);
      log.error('watching files failed; changes are no longer seen', {folder, error: text});
    };
    try {
      const watcher = watch(folder, (_event, changedName) => {
        if (name === undefined || changedName === null || changedName === name) changed();
      });
      watcher.on('error', failed);
      watchers.set(folder, {watcher, inode});
    } catch (error) {
      // Gone again since it was listed: its parent tells.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') failed(error);
    }
  }

  follow();
  return () => {
    clearTimeout(timer);
    for (const {watcher} of watchers.values()) watcher.close();
  };
}

/** `root` and every folder below it that policies are read from, with inodes; none when it is a file or not there. */
function foldersOf(root: string): Map<string, number> {
  const found = new Map<string, number>();
  const seen = new Set<string>();
  const visit = (path: string): void => {
    try {
      const info = statSync(path);
      if (!info.isDirectory()) return;
      const real = realpathSync(path);
      if (seen.has(real)) return;
      seen.add(real);
      found.set(path, info.ino);
      for (const name of readdirSync(path)) {
        if (!name.startsWith('.') && name !== 'node_modules') visit(join(path, name));
      }
    } catch (error) {
      // Gone while it was looked at: the folder that held it tells of it. What cannot be read, the reader reports.
      const {code} = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ELOOP' && code !== 'ENOTDIR') throw error;
    }
  };
  visit(root);
  return found;
}
