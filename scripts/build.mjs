// Bundles the command into one CommonJS file: start-up reads one file instead of hundreds.
import {chmod, mkdir, stat, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {build} from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const outfile = join(root, 'dist', 'kyverno.cjs');
await mkdir(join(root, 'dist'), {recursive: true});
const result = await build({
  absWorkingDir: root,
  entryPoints: ['cli/main.ts'],
  outdir: 'dist',
  entryNames: 'kyverno',
  outExtension: {'.js': '.cjs'},
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  legalComments: 'none',
  banner: {js: '#!/usr/bin/env node'},
  define: {'import.meta.url': 'undefined'},
  logLevel: 'warning',
  metafile: true,
});
await chmod(outfile, 0o755);
await writeFile(join(root, 'dist', 'meta.json'), JSON.stringify(result.metafile));
const {size} = await stat(outfile);
process.stderr.write(`dist/kyverno.cjs ${Math.round(size / 1024)} KiB\n`);
