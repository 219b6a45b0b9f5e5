import {execFile, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {parseAllDocuments} from 'yaml';
import type {Manifest} from '../../cluster/install-operator.js';
import {repository} from '../../e2e/support/build.js';
import {type Definition, readDefinitions} from '../../takeover/support/outside-data.js';

const run = promisify(execFile);

/** What a version is installed from. */
export interface Release {
  readonly definitions: readonly Definition[];
  readonly manifests: readonly Manifest[];
  /** Its bundle. */
  readonly program: string;
}

/** Why the sources of a tag are not at hand, or undefined. */
export function missingTag(tag: string): string | undefined {
  const {status, error} = spawnSync('git', ['-C', repository, 'rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`]);
  if (error !== undefined) return `git cannot be run: ${error.message}`;
  return status === 0 ? undefined : `this clone has no tag ${tag} (git fetch --tags)`;
}

/** The tag's sources with the bundle that they make, built once per commit. Its manifests are where it kept them. */
export async function releaseOf(tag: string, manifestFolder: string): Promise<Release> {
  const {stdout} = await run('git', ['-C', repository, 'rev-parse', `refs/tags/${tag}^{commit}`]);
  const commit = stdout.trim();
  const cache = join(repository, '.cache', 'releases');
  const folder = join(cache, commit);
  if (!existsSync(folder)) {
    mkdirSync(cache, {recursive: true});
    const draft = mkdtempSync(join(cache, 'draft-'));
    try {
      await build(commit, draft);
      renameSync(draft, folder);
    } catch (error) {
      rmSync(draft, {recursive: true, force: true});
      throw error;
    }
  }
  return {
    definitions: readDefinitions(join(folder, 'crds')),
    manifests: manifestsOf(readdirSync(join(folder, manifestFolder)).sort().map(name => join(folder, manifestFolder, name))),
    program: join(folder, 'dist/kyverno.cjs'),
  };
}

/** This work tree, as users install it. */
export function presentRelease(): Release {
  return {
    definitions: readDefinitions(join(repository, 'crds')),
    manifests: manifestsOf([join(repository, 'install/manifest.yaml')]),
    program: join(repository, 'dist/kyverno.cjs'),
  };
}

async function build(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'sources.tar');
  await run('git', ['-C', repository, 'archive', '--output', archive, commit]);
  await run('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  // Its packages in its own versions; those of this work tree where they are the same.
  if (hasSamePackages(folder)) symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {cwd: folder});
  await run('npm', ['run', '--silent', 'build'], {cwd: folder});
  rmSync(join(folder, 'node_modules'), {recursive: true, force: true});
}

interface PackageLock {
  readonly packages: Readonly<Record<string, {readonly version?: string; readonly integrity?: string}>>;
}

/** Whether all that the sources in the folder lock is locked here too. */
function hasSamePackages(folder: string): boolean {
  const read = (root: string) => (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as PackageLock).packages;
  const here = read(repository);
  return Object.entries(read(folder)).every(([path, {integrity}]) => path === '' || (integrity !== undefined && here[path]?.integrity === integrity));
}

function manifestsOf(files: readonly string[]): readonly Manifest[] {
  return files
    .flatMap(file => parseAllDocuments(readFileSync(file, 'utf8')).map(document => document.toJS() as Manifest | null))
    .filter(manifest => manifest !== null)
    .filter(({kind}) => kind !== 'CustomResourceDefinition' && kind !== 'Kustomization');
}
