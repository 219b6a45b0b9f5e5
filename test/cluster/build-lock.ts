import {mkdir, open, readFile, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {isSameProcess, processStart} from './process-identity.js';

/** Runs `work` while no other process does; a lock whose owner is gone is taken over. */
export async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  await mkdir(dirname(path), {recursive: true});
  for (;;) {
    const handle = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (handle !== undefined) {
      try {
        await handle.writeFile(`${process.pid} ${processStart(process.pid)}`);
        await handle.close();
        return await work();
      } finally {
        await rm(path, {force: true});
      }
    }
    await delay(500);
    const [pid = '', start = ''] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
    if (start !== '' && !isSameProcess({pid: Number(pid), start})) await rm(path, {force: true});
  }
}
