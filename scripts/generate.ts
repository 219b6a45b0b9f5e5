// `npm run generate`: writes every generated file. `--check` writes nothing and fails when one is stale.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {installFiles} from '../install/source/files.js';
import {generatedFiles} from './crd/files.js';
import {diagnosticsPage, diagnosticsText} from './generate-diagnostics.js';
import {settingsPage, withSettingsTables} from './settings-table.js';

const root = resolve(import.meta.dirname, '..');
const check = process.argv.includes('--check');

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

let stale = 0;
const settings = withSettingsTables(current(join(root, settingsPage)) ?? '');
const files = [...generatedFiles(), ...installFiles(), [diagnosticsPage, diagnosticsText()] as const, [settingsPage, settings] as const];
for (const [name, text] of files) {
  const path = join(root, name);
  if (current(path) === text) continue;
  stale += 1;
  console.log(`${check ? 'stale' : 'written'}: ${name}`);
  if (check) continue;
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}
if (check && stale > 0) process.exitCode = 1;
