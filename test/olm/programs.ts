import {execFile} from 'node:child_process';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';
import {builtProgram} from '../cluster/go-program.js';

const run = promisify(execFile);

/** Path of operator-verify; built once from its module into `.cache/packaging-tools/`. */
export function operatorVerify(): Promise<string> {
  return builtProgram({
    target: join(resolve(import.meta.dirname, '../../.cache'), 'packaging-tools', 'operator-verify-0.9.1'),
    room: import.meta.dirname,
    modfile: 'go.mod',
    package: 'github.com/operator-framework/api/cmd/operator-verify',
    toolchain: 'local',
  });
}

/** Folder of the module that operator-verify comes from; its `crds/` holds the definitions of OLM's own kinds. */
export async function operatorFrameworkApi(): Promise<string> {
  const env = {...process.env, GOWORK: 'off', GOFLAGS: '-mod=mod'};
  const {stdout} = await run('go', ['mod', 'download', '-json', 'github.com/operator-framework/api@v0.9.1'], {cwd: import.meta.dirname, env});
  return (JSON.parse(stdout) as {Dir: string}).Dir;
}
