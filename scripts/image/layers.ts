import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {chmod, mkdir, mkdtemp, readdir, rm, symlink} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {type BuildOptions, build} from 'esbuild';
import {clientModels, clientPlugins} from '../client-plugins.mjs';
import {copy, downloadPackages, layBase, write} from './debian.js';
import {type Architecture, nodeVersion, user} from './pins.js';
import {run} from './run.js';

const root = resolve(import.meta.dirname, '../..');

/** Three archives, from what changes least to what changes most. */
export interface Layers {
  readonly base: string;
  readonly node: string;
  readonly program: string;
}

export interface LayerOptions {
  readonly folder: string;
  /** What was downloaded stays there. */
  readonly cache: string;
  /** Folder of what `bundleProgram` makes. */
  readonly program: string;
  /** Packages that were downloaded before will do. */
  readonly reuse?: boolean;
}

/** Makes the layers of an architecture below a folder. */
export async function makeLayers(architecture: Architecture, {folder, cache, program, reuse = false}: LayerOptions): Promise<Layers> {
  const at = join(folder, architecture.name);
  await rm(at, {recursive: true, force: true});
  const parts = {base: join(at, 'base'), node: join(at, 'node'), program: join(at, 'program')};
  for (const part of Object.values(parts)) await mkdir(part, {recursive: true});

  await layBase(await downloadPackages(architecture, {cache, reuse}), architecture, parts.base);
  await write(join(parts.base, 'etc/passwd'), `root:x:0:0:root:/:/sbin/nologin\nkyverno:x:${user}:0:kyverno:/tmp:/sbin/nologin\n`);
  await write(join(parts.base, 'etc/group'), 'root:x:0:\n');
  // Volumes are laid over these; the root itself is read-only.
  for (const name of ['tmp', '.sigstore']) await mkdir(join(parts.base, name));
  await chmod(join(parts.base, 'tmp'), 0o1777);

  const node = await downloadNode(architecture, cache);
  await copy(join(node, 'package/bin/node'), join(parts.node, 'usr/bin/node'));
  await chmod(join(parts.node, 'usr/bin/node'), 0o755);
  await copy(join(node, 'package/LICENSE'), join(parts.node, 'usr/share/doc/node/copyright'));

  for (const name of await readdir(program)) await copy(join(program, name), join(parts.program, 'opt/kyverno', name));
  await chmod(join(parts.program, 'opt/kyverno/kyverno.cjs'), 0o755);
  await copy(join(root, 'LICENSE'), join(parts.program, 'opt/kyverno/LICENSE'));
  await mkdir(join(parts.program, 'usr/bin'), {recursive: true});
  await symlink('../../opt/kyverno/kyverno.cjs', join(parts.program, 'usr/bin/kyverno'));

  return {base: await archive(parts.base), node: await archive(parts.node), program: await archive(parts.program)};
}

async function downloadNode({nodePackage}: Architecture, cache: string): Promise<string> {
  const target = resolve(cache, `${nodePackage}-${nodeVersion}`);
  if (existsSync(join(target, 'package/bin/node'))) return target;
  await mkdir(cache, {recursive: true});
  const staging = await mkdtemp(`${target}.`);
  // npm checks the package against the digest that the registry names.
  await run('npm', ['pack', `${nodePackage}@${nodeVersion}`, '--silent', '--pack-destination', staging]);
  await mkdir(target, {recursive: true});
  await run('tar', ['xzf', join(staging, `${nodePackage}-${nodeVersion}.tgz`), '-C', target, 'package/bin/node', 'package/LICENSE']);
  await rm(staging, {recursive: true});
  return target;
}

/** The same files give the same bytes: sorted, owned by root, of no time, readable by everyone. */
async function archive(folder: string): Promise<string> {
  const file = `${folder}.tar`;
  await run('tar', ['--create', '--file', file, '--directory', folder, '--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=go+rX', '--format=pax', '--pax-option=delete=atime,delete=ctime', '.']);
  return file;
}

/** The program: `kyverno.cjs`, what its thread runs, and what of the client is read when it is asked for. */
export async function bundleProgram(folder: string): Promise<void> {
  // A copy of the sources alone knows of no commit.
  const [commit = '', seconds = ''] = existsSync(join(root, '.git')) ? execFileSync('git', ['log', '-1', '--format=%H %ct'], {cwd: root, encoding: 'utf8'}).trim().split(' ') : [];
  const at = process.env['SOURCE_DATE_EPOCH'] || seconds;
  const time = at === '' ? '' : new Date(Number(at) * 1000).toISOString().replace('.000Z', 'Z');
  const common = {
    absWorkingDir: root,
    outdir: folder,
    outExtension: {'.js': '.cjs'},
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    define: {'import.meta.url': 'undefined', 'import.meta.dirname': '__dirname', KYVERNO_BUILD_TIME: JSON.stringify(time), KYVERNO_BUILD_COMMIT: JSON.stringify(commit)},
    logLevel: 'warning',
  } as const satisfies BuildOptions;
  await Promise.all([
    build({...common, entryPoints: {kyverno: 'cli/main.ts'}, banner: {js: '#!/usr/bin/node'}, plugins: clientPlugins}),
    build({...common, entryPoints: {background: 'operator/thread/background-main.ts'}, plugins: clientPlugins}),
    build({...common, entryPoints: clientModels}),
  ]);
}
