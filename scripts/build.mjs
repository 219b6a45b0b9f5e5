// Bundles the command into CommonJS: start-up reads one file instead of hundreds, and the operator's part (with the
// Kubernetes client) only when it is asked for.
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {chmod, mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises';
import {join, relative, resolve} from 'node:path';
import {build} from 'esbuild';
import {clientModels, clientPlugins} from './client-plugins.mjs';

const root = resolve(import.meta.dirname, '..');

/** Which commit this is and when it was made; empty without a git directory. */
function gitStamp() {
  if (!existsSync(join(root, '.git'))) return ['', ''];
  return execFileSync('git', ['log', '-1', '--format=%H %ct'], {cwd: root, encoding: 'utf8'}).trim().split(' ');
}

/** RFC 3339 in UTC of seconds since 1970: the same source gives the same bundle. */
function timeStamp(seconds) {
  return seconds === '' ? '' : new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z');
}

const [commit, commitSeconds] = gitStamp();
const time = timeStamp(process.env.SOURCE_DATE_EPOCH || commitSeconds);

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
  define: {'import.meta.url': 'undefined', 'import.meta.dirname': '__dirname', KYVERNO_BUILD_TIME: JSON.stringify(time), KYVERNO_BUILD_COMMIT: JSON.stringify(commit)},
  logLevel: 'warning',
  metafile: true,
};

/** Parts with the Kubernetes client: each a file of its own that is read when it is asked for. */
const parts = {operator: 'operator/main.ts', background: 'operator/thread/background-main.ts', cluster: 'cli/apply/cluster/run-in-cluster.ts', migrate: 'cli/migrate/run-migrate.ts'};
const lazyParts = {
  name: 'lazy-parts',
  setup({onResolve}) {
    for (const [name, entry] of Object.entries(parts)) {
      const filter = new RegExp(`${entry.split('/').slice(-2).join('/').replace(/\.ts$/, '\\.js')}$`);
      onResolve({filter}, () => ({path: `./${name}.cjs`, external: true}));
    }
  },
};

/** Libraries that only some installations want: the operator's part reads them when it is told to. */
const libraries = {tracing: 'adapters/tracing/otel-traces.ts'};
const lazyLibraries = {
  name: 'lazy-libraries',
  setup({onResolve}) {
    onResolve({filter: /adapters\/tracing\/otel-traces\.js$/}, () => ({path: './tracing.cjs', external: true}));
  },
};

/** What commands import when they run, all of it in one file, so that the command itself is read in no time. */
const commands = join(root, 'cli', 'commands');
const lazyModules = new Set();
for (const name of await readdir(commands)) {
  if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
  const text = await readFile(join(commands, name), 'utf8');
  for (const [, path] of text.matchAll(/\bimport\('(\.[^']+)'\)/g)) {
    const module = relative(root, resolve(commands, path.replace(/\.js$/, '.ts')));
    if (!Object.values(parts).includes(module)) lazyModules.add(module);
  }
}
const lazyNames = new Map([...lazyModules].sort().map((module, index) => [module, `part${index}`]));
const lazyCommands = {
  name: 'lazy-commands',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^\./}, ({kind, path, resolveDir}) => {
      if (kind !== 'dynamic-import') return undefined;
      const name = lazyNames.get(relative(root, resolve(resolveDir, path.replace(/\.js$/, '.ts'))));
      return name === undefined ? undefined : {path: name, namespace: 'lazy-command'};
    });
    onResolve({filter: /^\.\/commands\.cjs$/, namespace: 'lazy-command'}, ({path}) => ({path, external: true}));
    onLoad({filter: /.*/, namespace: 'lazy-command'}, ({path}) => ({contents: `module.exports = require('./commands.cjs').${path};`}));
  },
};
const commandsEntry = {
  stdin: {
    contents: [...lazyNames].map(([module, name]) => `export * as ${name} from './${module.replace(/\.ts$/, '.js')}';\n`).join(''),
    resolveDir: root,
    loader: 'ts',
    sourcefile: 'commands.ts',
  },
};

await mkdir(join(root, 'dist'), {recursive: true});
const results = await Promise.all([
  build({...common, entryPoints: {kyverno: 'cli/main.ts'}, banner: {js: '#!/usr/bin/env node'}, plugins: [lazyParts, lazyCommands]}),
  build({...common, ...commandsEntry, outdir: undefined, outExtension: undefined, outfile: 'dist/commands.cjs', plugins: [lazyParts]}),
  build({...common, entryPoints: parts, plugins: [lazyLibraries, ...clientPlugins]}),
  build({...common, entryPoints: clientModels}),
  build({...common, entryPoints: libraries}),
]);
await chmod(join(root, 'dist', 'kyverno.cjs'), 0o755);
await writeFile(join(root, 'dist', 'meta.json'), JSON.stringify(results.map(result => result.metafile)));
for (const name of ['kyverno', 'commands', ...Object.keys(parts), ...Object.keys(clientModels), ...Object.keys(libraries)].map(part => `${part}.cjs`)) {
  const {size} = await stat(join(root, 'dist', name));
  process.stderr.write(`dist/${name} ${Math.round(size / 1024)} KiB\n`);
}
