import {type ChildProcess, spawn} from 'node:child_process';
import {mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir, userInfo} from 'node:os';
import {join} from 'node:path';
import {isSameProcess, type ProcessIdentity, processStart} from './process-identity.js';

/** Owns the processes and the temporary folder of one cluster; neither outlives this process, however it ends. */
export interface Supervisor {
  /** Temporary folder, absolute. */
  readonly dir: string;
  /** Adds a process that leads its own process group. */
  add(child: ChildProcess): void;
  /** Forgets a process that ended. */
  remove(child: ChildProcess): void;
  /** Ends every process that is still there and deletes the folder. */
  close(): Promise<void>;
}

interface PidFile {
  readonly owner: ProcessIdentity;
  readonly children: readonly ProcessIdentity[];
}

const root = join(tmpdir(), `kyverno-cluster-${userInfo().uid}`);

/**
 * Reads "add PID" and "remove PID" lines; when its input ends, which the kernel sees to when the owner dies by whatever
 * signal, it ends the process groups that are left and deletes the folder.
 */
const guardScript = `
pids=' '
while read -r verb pid; do
  case $verb in
    add) pids="$pids$pid " ;;
    remove) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -s KILL -- "-$pid" 2>/dev/null; done
rm -rf -- "$1"
`;

/** A supervisor with a new folder; first cleans up after earlier ones whose owner is gone. */
export async function createSupervisor(): Promise<Supervisor> {
  await mkdir(root, {recursive: true, mode: 0o700});
  await cleanOrphans();
  const dir = await mkdtemp(join(root, 'run-'));
  const owner = {pid: process.pid, start: processStart(process.pid) ?? ''};
  const children = new Map<number, ProcessIdentity>();
  const guard = spawn('sh', ['-c', guardScript, 'cluster-guard', dir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  guard.stdin.on('error', () => undefined);
  let saving = save();

  function save(): Promise<void> {
    const file: PidFile = {owner, children: [...children.values()]};
    return writeFile(join(dir, 'pids.json'), JSON.stringify(file));
  }
  function changed(line: string): void {
    guard.stdin.write(`${line}\n`);
    saving = saving.then(save).catch(() => undefined);
  }

  return {
    dir,
    add({pid}) {
      if (pid === undefined) return;
      children.set(pid, {pid, start: processStart(pid) ?? ''});
      changed(`add ${pid}`);
    },
    remove({pid}) {
      if (pid === undefined || !children.delete(pid)) return;
      changed(`remove ${pid}`);
    },
    async close() {
      await saving;
      const ended = new Promise(resolve => guard.once('exit', resolve));
      guard.ref();
      guard.stdin.end();
      await ended;
    },
  };
}

async function cleanOrphans(): Promise<void> {
  for (const name of await readdir(root)) {
    const dir = join(root, name);
    const file = await readPidFile(join(dir, 'pids.json'));
    if (file === undefined || isSameProcess(file.owner)) continue;
    for (const child of file.children) if (isSameProcess(child)) killGroup(child.pid, 'SIGKILL');
    await rm(dir, {recursive: true, force: true});
  }
}

async function readPidFile(path: string): Promise<PidFile | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as PidFile;
  } catch {
    // Half written, or just being made by another owner.
    return undefined;
  }
}

/** Signals the process group that `pid` leads; false when it is gone. */
export function killGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
