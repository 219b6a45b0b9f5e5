import {mkdir, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {version} from '../../install/source/settings.js';
import {bundleProgram, makeLayers} from './layers.js';
import {type Architecture, architectures, nodeVersion, user} from './pins.js';
import {run} from './run.js';
import {imageTool} from './tool.js';

export interface ImageOptions {
  readonly names: readonly Architecture['name'][];
  /** Folder for layers and OCI layout. */
  readonly out: string;
  readonly push?: string | undefined;
  /** Packages that were downloaded before will do. */
  readonly reuse?: boolean;
}

const labels = {
  'org.opencontainers.image.title': 'kyverno-ts',
  'org.opencontainers.image.description': 'A Kubernetes policy operator that speaks Kyverno\'s API',
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.licenses': 'Apache-2.0',
};

/**
 * What runs, as the Dockerfile has it too. DEP0040: a part of the Kubernetes client asks for a module that Node gives up. One thread
 * helps to collect garbage: four of them, on the one or two cores that a replica has, only keep the main one from its turn.
 */
export const imageConfig = {
  User: String(user),
  Env: ['PATH=/usr/bin', `NODE_VERSION=${nodeVersion}`, 'NODE_ENV=production', 'NODE_OPTIONS=--disable-warning=DEP0040 --v8-pool-size=1', 'HOME=/tmp'],
  Entrypoint: ['/usr/bin/kyverno'],
  Cmd: ['operator'],
  WorkingDir: '/',
  ExposedPorts: {'9443/tcp': {}, '8000/tcp': {}},
  Labels: labels,
};

/** Assembles the image, and pushes it where it is told to; its digest. */
export async function makeImage({names, out, push, reuse = false}: ImageOptions): Promise<string> {
  const folder = resolve(out);
  const cache = resolve(import.meta.dirname, '../../.cache/image');
  await mkdir(folder, {recursive: true});
  const program = join(folder, 'program');
  await bundleProgram(program);
  const settings = join(folder, 'settings.json');
  await writeFile(settings, JSON.stringify({config: imageConfig, annotations: labels}));
  const layers: string[] = [];
  for (const architecture of architectures.filter(({name}) => names.includes(name))) {
    const made = await makeLayers(architecture, {folder: join(folder, 'layers'), cache, program, reuse});
    layers.push(`${architecture.name}=${made.base},${made.node},${made.program}`);
  }
  const digest = await run(await imageTool(), ['assemble', '--config', settings, '--layout', join(folder, 'oci'), ...(push === undefined ? [] : ['--push', push]), ...layers]);
  return digest.trim();
}
