import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {describe, expect, it} from 'vitest';
import {eventually} from '../../cluster/eventually.js';
import {isSameProcess, processStart} from '../../cluster/process-identity.js';

const supervisorModule = join(import.meta.dirname, '../../cluster/supervisor.ts');
const owner = `
import {spawn} from 'node:child_process';
const {createSupervisor} = await import(${JSON.stringify(supervisorModule)});
const supervisor = await createSupervisor();
const children = [1, 2, 3].map(() => spawn('sleep', ['600'], {detached: true, stdio: 'ignore'}));
for (const child of children) supervisor.add(child);
children[1].once('exit', () => {
  supervisor.remove(children[1]);
  console.log(JSON.stringify({dir: supervisor.dir, pids: [children[0].pid, children[2].pid]}));
});
children[1].kill();
process.stdin.once('data', () => supervisor.close());
`;

async function startOwner() {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', owner], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: join(import.meta.dirname, '../../..'),
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const {dir, pids} = JSON.parse(line) as {dir: string; pids: number[]};
  const identities = pids.map(pid => ({pid, start: processStart(pid)!}));
  return {child, dir, identities};
}

describe('the supervisor', () => {
  it.each([
    ['killed', (child: Awaited<ReturnType<typeof startOwner>>['child']) => child.kill('SIGKILL')],
    ['closed', (child: Awaited<ReturnType<typeof startOwner>>['child']) => child.stdin.write('close\n')],
  ])('ends its processes and deletes its folder when its owner is %s', async (_name, end) => {
    const {child, dir, identities} = await startOwner();
    expect(existsSync(dir)).toBe(true);
    expect(identities.map(isSameProcess)).toEqual([true, true]);
    end(child);
    await eventually(() => !identities.some(isSameProcess) && !existsSync(dir), {what: 'processes and folder gone'});
    child.kill('SIGKILL');
  });
});
