// Fails when an import crosses rooms against the table in docs/architecture.md.
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {dirname, join, relative, resolve, sep} from 'node:path';

const root = resolve(import.meta.dirname, '..');
const pureEngine = /^engine\/(json|values|yaml|diagnostic|budget|regex|resource-map|types|context-loader|image\/|x509\/)/;
const engineBuiltins = new Set(['node:crypto', 'node:buffer', 'node:zlib']);
const engineDependencies = new Set(['yaml']);
const rooms = {
  engine: ['engine'],
  adapters: ['adapters', 'engine'],
  webhook: ['webhook', 'adapters', 'engine'],
  operator: ['operator', 'webhook', 'adapters', 'engine', 'crds'],
  cli: ['cli', 'operator', 'webhook', 'adapters', 'engine', 'crds', 'install'],
  crds: ['crds'],
  // What it tells others (`source/rights`) needs the engine's table of kinds alone.
  install: ['install', 'engine', 'scripts'],
};

function* files(directory) {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else if (/\.ts$/.test(name)) yield path;
  }
}

const problems = [];
for (const room of Object.keys(rooms)) {
  for (const file of files(join(root, room))) {
    const isTest = /\.test\.ts$/.test(file) || file.includes(`${sep}testing${sep}`);
    const name = relative(root, file);
    const text = readFileSync(file, 'utf8');
    const imports = /^(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;
    for (const match of text.matchAll(imports)) {
      const target = match[2] ?? match[3];
      const typeOnly = match[1] !== undefined;
      if (!target.startsWith('.')) {
        if (room === 'engine' && !isTest && !engineBuiltins.has(target) && !engineDependencies.has(target)) {
          problems.push(`${name}: engine must not import ${target}`);
        }
        continue;
      }
      const path = relative(root, resolve(dirname(file), target));
      const to = path.split(sep)[0];
      if (to === '' || to === 'package.json') continue;
      if (isTest && (to === 'test' || room === 'install')) continue;
      if (room === 'engine' && isTest && to === 'adapters') continue;
      if (!rooms[room].includes(to)) problems.push(`${name}: ${room} must not import ${to} (${target})`);
      else if (room === 'adapters' && to === 'engine' && !typeOnly && !pureEngine.test(path)) {
        problems.push(`${name}: adapters import engine types only, not ${target}`);
      }
    }
  }
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
