// `npm test`: every stage in order, each to its end, then one line with the sum. A stage that cannot run is a failure.
import {spawn, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, openSync, readFileSync, rmSync} from 'node:fs';
import {join, resolve} from 'node:path';

const root = resolve(import.meta.dirname, '..');
const results = join(root, '.cache', 'test-results');
const only = process.argv.slice(2);

const stages = [
  {name: 'types', run: () => command('npx', ['tsc', '--noEmit', '-p', 'tsconfig.json'])},
  {name: 'lint', run: () => command('npx', ['biome', 'lint', '--error-on-warnings', '.']) && command('node', ['scripts/check-layers.mjs'])},
  {name: 'unit', vitest: true},
  {name: 'build', run: () => command('node', ['scripts/build.mjs'])},
  {name: 'standalone', vitest: true},
  {name: 'packaging', vitest: true, needs: goProblem},
  {name: 'image', vitest: true, needs: goProblem},
  {name: 'e2e', vitest: true, needs: goProblem},
  {name: 'chaos', vitest: true, needs: goProblem},
  // A sample of external suites; those who have none are told so.
  {name: 'suites', sum: suites, needs: goProblem},
];

const sum = {passed: 0, failed: 0, skipped: 0};
mkdirSync(results, {recursive: true});
const building = only.length === 0 && goProblem() === undefined ? buildAhead() : undefined;
for (const stage of stages) {
  if (only.length > 0 && !only.includes(stage.name)) continue;
  const started = Date.now();
  console.log(`\n== ${stage.name}`);
  const problem = stage.needs?.();
  if (problem !== undefined) {
    console.log(problem);
    sum.failed += 1;
    continue;
  }
  const count = stage.vitest ? vitest(stage.name) : (stage.sum?.() ?? single(stage.run()));
  for (const key of Object.keys(sum)) sum[key] += count[key];
  console.log(`== ${stage.name}: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped (${Math.round((Date.now() - started) / 1000)} s)`);
}
console.log(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
stopBuilding();
process.exit(sum.failed > 0 ? 1 : 0);

/** Programs of later stages are built on what earlier ones leave of the processor: much of a test is waiting. */
function buildAhead() {
  const log = openSync(join(results, 'programs.log'), 'w');
  return spawn('nice', ['-n', '19', 'node', '--import', 'tsx', 'test/all-programs.ts'], {cwd: root, detached: true, stdio: ['ignore', log, log]});
}

function stopBuilding() {
  if (building?.exitCode !== null || building.pid === undefined) return;
  try {
    process.kill(-building.pid, 'SIGTERM');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function command(program, args) {
  return spawnSync(program, args, {cwd: root, stdio: ['ignore', 'inherit', 'inherit']}).status === 0;
}

function single(passed) {
  return {passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0};
}

function suites() {
  const output = join(results, 'suites');
  rmSync(output, {recursive: true, force: true});
  const args = ['--import', 'tsx', 'test/conformance/cluster/main.ts', '--sample', '--output', output];
  const {status} = spawnSync('node', args, {cwd: root, stdio: ['ignore', 'inherit', 'inherit']});
  const file = join(output, 'results.jsonl');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const statuses = lines.map(line => JSON.parse(line).status);
  const passed = statuses.filter(each => each === 'pass').length;
  // No folder of suites.
  if (status === 2 && lines.length === 0) return {passed: 0, failed: 0, skipped: 1};
  return {passed, failed: Math.max(statuses.length - passed, status === 0 ? 0 : 1), skipped: 0};
}

function vitest(project) {
  const output = join(results, `${project}.json`);
  rmSync(output, {force: true});
  const passed = command('npx', ['vitest', 'run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${output}`]);
  if (!existsSync(output)) return single(false);
  const report = JSON.parse(readFileSync(output, 'utf8'));
  const failed = report.numFailedTests + report.testResults.filter(file => file.status === 'failed' && file.assertionResults.length === 0).length;
  return {
    passed: report.numPassedTests,
    // An error outside any test fails the run without failing one.
    failed: failed === 0 && !passed ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** The control plane is built with Go unless its programs are given. */
function goProblem() {
  if (process.env.KUBEBUILDER_ASSETS) return undefined;
  const {stdout, status} = spawnSync('go', ['version'], {encoding: 'utf8'});
  const version = /go(\d+)\.(\d+)/.exec(status === 0 ? stdout : '');
  if (version && (Number(version[1]) > 1 || Number(version[2]) >= 26)) return undefined;
  return `missing: Go 1.26 or newer (found ${version ? version[0] : 'none'}), or KUBEBUILDER_ASSETS with etcd, kube-apiserver, kube-controller-manager and kubectl`;
}
