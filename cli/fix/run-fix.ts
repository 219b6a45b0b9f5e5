import {stat, writeFile} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {isMap} from 'yaml';
import {isObject, own} from '../../engine/json/types.js';
import {readDocuments, readText} from '../files/documents.js';
import {FileError, messageOf} from '../files/file-error.js';
import {findNamedFiles, findYamlFiles} from '../files/find-files.js';
import {policyFamily} from '../files/policy-kinds.js';
import {checkTest, decodeTest, type TestSpec} from '../files/test-file.js';
import type {Streams} from '../output/streams.js';
import {type Edit, editDocuments} from './edit-documents.js';
import {fixPolicy} from './fix-policy.js';
import {fixKind, fixTest} from './fix-test.js';

export interface FixOptions {
  /** Write what changed. */
  readonly save: boolean;
}

export interface FixTestsOptions extends FixOptions {
  readonly fileName: string;
  /** Write files without changes, too. */
  readonly force: boolean;
  readonly compress: boolean;
}

/** `kyverno fix test`: a fault costs only its file; what happened is told for each. */
export async function fixTests(folders: readonly string[], options: FixTestsOptions, streams: Streams): Promise<void> {
  for (const folder of folders) {
    const paths = await found(folder, () => findTests(folder, options.fileName), streams);
    for (const path of paths) await fixTestFile(path, options, streams);
  }
  streams.out('Done.\n');
}

async function findTests(folder: string, fileName: string): Promise<readonly string[]> {
  const info = await stat(folder);
  return info.isDirectory() ? findNamedFiles(folder, fileName) : [folder];
}

/** `kyverno fix policy`. */
export async function fixPolicies(folders: readonly string[], options: FixOptions, streams: Streams): Promise<void> {
  for (const folder of folders) {
    for (const path of await found(folder, () => findYamlFiles(folder), streams)) {
      if (await holdsPolicy(path))
        await fixFile(path, {title: 'policy', edit: fixPolicy, save: options.save, force: false}, streams);
    }
  }
  streams.out('Done.\n');
}

async function found(
  folder: string,
  find: () => Promise<readonly string[]>,
  streams: Streams,
): Promise<readonly string[]> {
  try {
    return await find();
  } catch (error) {
    streams.out(`Processing folder (${folder})...\n  ERROR: ${messageOf(error)}\n`);
    return [];
  }
}

/** Files that cannot be read at all count: their faults are told. */
async function holdsPolicy(path: string): Promise<boolean> {
  let bytes = '';
  try {
    bytes = await readText(path);
  } catch (error) {
    if (error instanceof FileError) return true;
    throw error;
  }
  if (!/^\s*["']?kind["']?\s*:/m.test(bytes)) return false;
  try {
    return readDocuments(bytes, path).some(
      ({value}) => isObject(value) && ['classic', 'cleanup'].includes(policyFamily(value) ?? ''),
    );
  } catch {
    return /\bkyverno\.io\//.test(bytes);
  }
}

async function fixTestFile(path: string, options: FixTestsOptions, streams: Streams): Promise<void> {
  const edit: Edit = fixTest({name: baseName(path), compress: options.compress});
  const {save, force} = options;
  const text = await fixFile(path, {title: 'test', edit, save, force, check: checkTests}, streams);
  if (text === undefined) return;
  for (const {value} of readDocuments(text, path)) {
    if (!isObject(value)) continue;
    for (const [key, kind] of [
      ['userinfo', 'UserInfo'],
      ['variables', 'Values'],
    ] as const) {
      const file = own(value, key);
      if (typeof file !== 'string' || file === '') continue;
      const head: Edit = document => (isMap(document.contents) ? fixKind(document, document.contents, kind) : []);
      await fixFile(join(dirname(path), file), {title: kind, edit: head, save, force}, streams);
    }
  }
}

function baseName(path: string): string {
  return basename(path).replace(/\.ya?ml$/, '');
}

/** What is wrong with the tests of a file, and what is doubtful. */
function checkTests(text: string, path: string): readonly string[] {
  const warnings: string[] = [];
  for (const {value} of readDocuments(text, path)) {
    const spec: TestSpec = decodeTest(value);
    checkTest(spec);
    if ((spec.policies ?? []).length === 0) warnings.push('test has no policies');
    if ((spec.resources ?? []).length === 0 && (spec.targetResources ?? []).length === 0)
      warnings.push('test has no resources');
  }
  return warnings;
}

interface FileFix {
  readonly title: string;
  readonly edit: Edit;
  readonly save: boolean;
  readonly force: boolean;
  /** Throws for a text that must not be written. */
  readonly check?: (text: string, path: string) => readonly string[];
}

/** The text after the fix; `undefined` when the file has a fault, which is told. */
async function fixFile(path: string, fix: FileFix, {out}: Streams): Promise<string | undefined> {
  out(`Processing ${fix.title} file (${path})...\n`);
  try {
    const {text, changes} = editDocuments(await readText(path), fix.edit);
    for (const warning of fix.check?.(text, path) ?? []) out(`  WARNING: ${warning}\n`);
    for (const change of changes) out(`  ${change}\n`);
    if (changes.length === 0 && !fix.force) {
      out('  No changes\n');
    } else if (fix.save) {
      await writeFile(path, text);
      out('  Saved\n');
    }
    return text;
  } catch (error) {
    if (!(error instanceof FileError) && !isSystemError(error)) throw error;
    out(`  ERROR: ${messageOf(error)}\n`);
    return undefined;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
