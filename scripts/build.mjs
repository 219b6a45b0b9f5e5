// Bundles the command into CommonJS: start-up reads one file instead of hundreds, and the operator's part (with the
// Kubernetes client) only when it is asked for.
import {chmod, mkdir, stat, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {build} from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const common = {
  absWorkingDir: root,
  outdir: 'dist',
  outExtension: {'.js': '.cjs'},
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: {'import.meta.url': 'undefined'},
  logLevel: 'warning',
  metafile: true,
};

/** Parts with the Kubernetes client: each a file of its own that is read when it is asked for. */
const parts = {operator: 'operator/main.ts', cluster: 'cli/apply/cluster/run-in-cluster.ts', migrate: 'cli/migrate/run-migrate.ts'};
const lazyParts = {
  name: 'lazy-parts',
  setup({onResolve}) {
    for (const [name, entry] of Object.entries(parts)) {
      const filter = new RegExp(`${entry.split('/').slice(-2).join('/').replace(/\.ts$/, '\\.js')}$`);
      onResolve({filter}, () => ({path: `./${name}.cjs`, external: true}));
    }
  },
};

await mkdir(join(root, 'dist'), {recursive: true});
const results = await Promise.all([
  build({...common, entryPoints: {kyverno: 'cli/main.ts'}, banner: {js: '#!/usr/bin/env node'}, plugins: [lazyParts]}),
  build({...common, entryPoints: parts}),
]);
await chmod(join(root, 'dist', 'kyverno.cjs'), 0o755);
await writeFile(join(root, 'dist', 'meta.json'), JSON.stringify(results.map(result => result.metafile)));
for (const name of ['kyverno', ...Object.keys(parts)].map(part => `${part}.cjs`)) {
  const {size} = await stat(join(root, 'dist', name));
  process.stderr.write(`dist/${name} ${Math.round(size / 1024)} KiB\n`);
}
