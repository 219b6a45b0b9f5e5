import {copyFile, mkdir, mkdtemp, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {keyPlugin} from './program.js';

const failing = {hangs: 'sleep 600', garbage: 'echo hello', endless: 'while :; do echo 0123456789012345678901234567890123456789; done'};

/** `folder` is to hold the public keys that `awskms` gives (`right.pub`), `plugins` holds it and schemes that give none. */
export async function createPluginFolder(): Promise<{readonly folder: string; readonly plugins: string}> {
  const folder = await mkdtemp(join(tmpdir(), 'key-services-'));
  const plugins = join(folder, 'plugins');
  await mkdir(plugins);
  await copyFile(await keyPlugin(), join(plugins, 'sigstore-kms-awskms'));
  for (const [name, script] of Object.entries(failing)) await writeFile(join(plugins, `sigstore-kms-${name}`), `#!/bin/sh\n${script}\n`, {mode: 0o755});
  return {folder, plugins};
}
