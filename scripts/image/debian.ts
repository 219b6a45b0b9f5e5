import {existsSync} from 'node:fs';
import {copyFile, mkdir, readdir, readFile, realpath, rm, symlink, writeFile} from 'node:fs/promises';
import {basename, join, resolve} from 'node:path';
import {type Architecture, debianPackages, debianSuite, libraries} from './pins.js';
import {run} from './run.js';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Packages of an architecture, checked by apt against the archive's signature; their paths. `reuse`: those of the last time will do. */
export async function downloadPackages({name}: Architecture, {cache, reuse}: {readonly cache: string; readonly reuse: boolean}): Promise<readonly string[]> {
  const home = resolve(cache, `apt-${name}`);
  const packages = join(home, 'packages');
  const paths = async () => (await readdir(packages)).filter(file => file.endsWith('.deb')).sort().map(file => join(packages, file));
  if (reuse && existsSync(packages)) {
    const there = await paths();
    if (there.length === debianPackages.length) return there;
  }
  await rm(packages, {recursive: true, force: true});
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'packages', 'parts']) await mkdir(join(home, folder), {recursive: true});
  const sources = [
    `deb [signed-by=${keyring}] http://deb.debian.org/debian ${debianSuite} main`,
    `deb [signed-by=${keyring}] http://deb.debian.org/debian-security ${debianSuite}-security main`,
  ];
  await writeFile(join(home, 'sources.list'), `${sources.join('\n')}\n`);
  await writeFile(join(home, 'status'), '');
  const settings = {
    'APT::Architecture': name,
    'APT::Architectures': name,
    'APT::Sandbox::User': 'root',
    'Dir::State': join(home, 'state'),
    'Dir::State::status': join(home, 'status'),
    'Dir::Cache': join(home, 'cache'),
    'Dir::Etc::sourcelist': join(home, 'sources.list'),
    'Dir::Etc::sourceparts': join(home, 'parts'),
    'Acquire::Languages': 'none',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  await run('apt-get', [...options, '-qq', 'update']);
  await run('apt-get', [...options, '-qq', 'download', ...debianPackages], {cwd: packages});
  return paths();
}

/** Lays the libraries that Node needs, the authorities and the licences into a root, and says what packages they are of. */
export async function layBase(packages: readonly string[], {triplet, loader}: Architecture, root: string): Promise<void> {
  const taken = `${root}.packages`;
  await rm(taken, {recursive: true, force: true});
  for (const file of packages) await run('dpkg-deb', ['-x', file, taken]);
  for (const file of packages) {
    // Scanners find packages of an image without dpkg there.
    const control = await run('dpkg-deb', ['-f', file]);
    const name = /^Package: (.*)$/m.exec(control)?.[1] ?? basename(file);
    await write(join(root, 'var/lib/dpkg/status.d', name), `${control.trimEnd()}\n`);
    await copy(join(taken, 'usr/share/doc', name, 'copyright'), join(root, 'usr/share/doc', name, 'copyright'));
  }
  for (const library of libraries) await copy(await find(taken, [`lib/${triplet}/${library}`, `usr/lib/${triplet}/${library}`]), join(root, `usr/lib/${triplet}`, library));
  await copy(await find(taken, [loader, `lib/${triplet}/${basename(loader)}`]), join(root, 'usr', loader));
  // As Debian has it: one tree, and links for those who look at its old places.
  await symlink('usr/lib', join(root, 'lib'));
  if (loader.startsWith('lib64/')) await symlink('usr/lib64', join(root, 'lib64'));
  await write(join(root, 'etc/ssl/certs/ca-certificates.crt'), await authorities(join(taken, 'usr/share/ca-certificates')));
  await write(join(root, 'etc/os-release'), 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Libraries of Debian 12"\n');
  await write(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  await rm(taken, {recursive: true, force: true});
}

async function find(root: string, places: readonly string[]): Promise<string> {
  for (const place of places) {
    try {
      return await realpath(join(root, place));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`none of the packages has ${places.join(' or ')}`);
}

async function authorities(folder: string): Promise<string> {
  const files = (await readdir(folder, {recursive: true})).filter(name => name.endsWith('.crt')).sort();
  if (files.length < 50) throw new Error(`${files.length} authorities in ca-certificates`);
  const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')));
  return texts.map(text => `${text.trimEnd()}\n`).join('');
}

export async function write(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), {recursive: true});
  await writeFile(path, text);
}

export async function copy(from: string, to: string): Promise<void> {
  await mkdir(join(to, '..'), {recursive: true});
  await copyFile(from, to);
}
