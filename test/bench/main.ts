import {copyFileSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {build} from 'esbuild';
import {benchBodies, bodyNames} from './bodies.js';
import {benchCel} from './cel/main.js';
import {benchImages} from './images/main.js';
import {machineFacts} from './machine.js';
import {compare, type Figures, type MeasureOptions, sendLoad, type Target} from './measure.js';
import {benchOperator} from './operator.js';
import {celPath, celPodPolicies, crowdedPolicies, namespacedPolicies, podPolicies, writePolicies} from './policy-sets.js';
import {
  type BenchServer,
  cpuSeconds,
  emptyNodeCpu,
  type LoadClient,
  rssMiB,
  startClient,
  startServer,
} from './processes.js';
import {figuresTable} from './report.js';

const root = resolve(import.meta.dirname, '..', '..');
const quick = process.argv.includes('--quick');
/** Only the operator in a cluster, which takes minutes. */
const operator = process.argv.includes('--operator');
/** Only policies written in CEL, over HTTP. */
const vpol = process.argv.includes('--vpol');
/** Only the evaluation of CEL expressions. */
const cel = process.argv.includes('--cel');
/** Only images: proofs, and admissions that find them proven. */
const images = process.argv.includes('--images');
const stability = !quick && !process.argv.includes('--no-stability');
const say = (line: string) => void process.stdout.write(`${line}\n`);
const note = (line: string) => void process.stderr.write(`${line}\n`);

const work = mkdtempSync(join(tmpdir(), 'kyverno-bench-'));
const tlsDir = join(work, 'tls');
/** A copy: a build during the run must not change what is measured. */
const command = join(work, 'kyverno.cjs');
const running: BenchServer[] = [];
let client: LoadClient | undefined;

async function serve(policies: string): Promise<BenchServer> {
  const args = ['serve', '--policies', policies, '--port', '0', '--metrics-port', '0', '--tls-dir', tlsDir];
  return keep(await startServer([command, ...args]));
}

function keep(server: BenchServer): BenchServer {
  running.push(server);
  return server;
}

/** The client and the always-allow server, bundled as the command is. */
async function bundle(): Promise<string> {
  const out = join(root, 'dist', 'bench');
  await build({
    absWorkingDir: root,
    entryPoints: {client: 'test/bench/client.ts', 'allow-server': 'test/bench/allow-server.ts'},
    outdir: out,
    outExtension: {'.js': '.mjs'},
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    banner: {js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"},
    logLevel: 'warning',
  });
  return out;
}

async function stop(servers: readonly BenchServer[]): Promise<void> {
  for (const server of servers) await server.stop();
}

async function throughput(
  options: MeasureOptions,
  folders: {none: string; some: string; many: string; cel: string},
  allowFile: string,
) {
  const allow = keep(await startServer([allowFile, tlsDir]));
  const targets: Target[] = [
    {name: 'engine that always allows', server: allow},
    {name: 'no policies', server: await serve(folders.none)},
    ...(vpol
      ? []
      : [
          {name: '17 policies', server: await serve(folders.some)},
          {name: '17 among 1,700', server: await serve(folders.many)},
        ]),
    {name: '16 ValidatingPolicies', server: await serve(folders.cel), path: celPath(celPodPolicies())},
  ];
  const figures: Figures[] = [];
  for (const body of quick ? (['good', 'bad'] as const) : bodyNames) {
    const scale = body === 'large' ? 0.2 : 1;
    const scaled = {
      ...options,
      requests: Math.ceil(options.requests * scale),
      warmUp: Math.ceil(options.warmUp * scale),
    };
    figures.push(...(await compare(targets, scaled, body)));
    note(`${body} done`);
  }
  say(figuresTable(figures, 'engine that always allows'));
  await stop(targets.map(target => target.server));
}

async function steadiness(options: MeasureOptions, folder: string) {
  const server = await serve(folder);
  const marks: string[] = [];
  for (let done = 0; done <= 200_000; done += 50_000) {
    if (done > 0) await sendLoad(server, options, {body: 'good', requests: 50_000});
    note(`steadiness ${done}`);
    marks.push(`${Math.round(done / 1000)}k ${rssMiB(server.pid).toFixed(0)}`);
  }
  say(`\nRSS in MiB after requests: ${marks.join(', ')}`);
  await server.stop();
}

/** CPU of the first decisions of a fresh server, of the CEL ones compared with one that judges nothing. */
async function firstDecisions(options: MeasureOptions, folders: {none: string; cel: string}) {
  const cost = async (folder: string, path: string | undefined) => {
    const costs: number[] = [];
    for (let index = 0; index < 3; index++) {
      const server = await serve(folder);
      const before = cpuSeconds(server.pid);
      await sendLoad(server, {...options, connections: 1}, {body: 'good', requests: 1, path});
      costs.push((cpuSeconds(server.pid) - before) * 1000);
      await server.stop();
    }
    return Math.min(...costs);
  };
  const none = await cost(folders.none, undefined);
  const cel = await cost(folders.cel, celPath(celPodPolicies()));
  say(
    `\nFirst request of a fresh server, CPU ms with TLS hand-shake: ${none.toFixed(0)} without policies, ${cel.toFixed(0)} with 16 ValidatingPolicies`,
  );
}

async function starts(options: MeasureOptions, folders: {some: string; namespaced: string}) {
  const empty = emptyNodeCpu(quick ? 5 : 10);
  const first: number[] = [];
  for (let index = 0; index < (quick ? 3 : 5); index++) {
    const server = await serve(folders.some);
    await sendLoad(server, {...options, connections: 1}, {body: 'good', requests: 1});
    first.push(cpuSeconds(server.pid));
    await server.stop();
  }
  const best = Math.min(...first);
  say(
    `\nStart to first decision, 17 policies: ${best.toFixed(2)} s CPU; node -e 0: ${empty.toFixed(3)} s; ratio ${(best / empty).toFixed(1)}`,
  );
  const server = await serve(folders.namespaced);
  await sendLoad(server, {...options, connections: 1}, {body: 'good', requests: 1});
  say(
    `3,500 namespaced policies, start to Ready: ${cpuSeconds(server.pid).toFixed(2)} s CPU, ${rssMiB(server.pid).toFixed(0)} MiB`,
  );
  await server.stop();
}

async function main() {
  if (cel) {
    say(`Machine: ${machineFacts()}`);
    await benchCel(root, quick, say);
    return;
  }
  if (images) {
    say(`Machine: ${machineFacts()}\n`);
    await benchImages(quick, say);
    return;
  }
  // Beside it, what its commands are made of.
  for (const name of ['kyverno.cjs', 'commands.cjs']) copyFileSync(join(root, 'dist', name), join(work, name));
  const {origin, json} = benchBodies();
  say(`Machine: ${machineFacts()}`);
  say(
    `Bodies: ${origin === 'given' ? 'given beside the repository' : 'generated'}, ${bodyNames.map(name => `${name} ${(json[name].length / 1000).toFixed(1)} kB`).join(', ')}\n`,
  );
  const folders = {
    none: writePolicies(join(work, 'none'), []),
    some: writePolicies(join(work, 'some'), podPolicies()),
    cel: writePolicies(join(work, 'cel'), celPodPolicies()),
    many: writePolicies(join(work, 'many'), crowdedPolicies(1700)),
    namespaced: writePolicies(join(work, 'namespaced'), namespacedPolicies(3500)),
  };
  const out = await bundle();
  client = startClient(join(out, 'client.mjs'));
  if (operator) {
    await benchOperator(client, say);
    return;
  }
  // Certificates of an earlier start, for every server of this run.
  await stop([await serve(folders.none)]);
  const options: MeasureOptions = {
    client,
    ca: readFileSync(join(tlsDir, 'ca.crt'), 'utf8'),
    bodies: json,
    connections: 8,
    warmUp: quick ? 3000 : 4000,
    requests: quick ? 1000 : 2000,
    rounds: quick ? 3 : 7,
  };
  await throughput(options, folders, join(out, 'allow-server.mjs'));
  await firstDecisions(options, folders);
  if (vpol) return;
  await starts(options, folders);
  await benchCel(root, quick, say);
  if (stability) await steadiness(options, folders.some);
  say(`\nLoad at the end: ${machineFacts().split('load ')[1]}`);
}

try {
  await main();
} finally {
  client?.stop();
  await stop(running);
  rmSync(work, {recursive: true, force: true});
}
