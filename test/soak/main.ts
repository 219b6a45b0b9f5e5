import {soakGenerate} from './generate.js';
import {soakIdle} from './idle.js';
import {soakLimits} from './limits.js';
import {soakProperty} from './property.js';
import {soakReapply} from './reapply.js';
import {soakScan} from './scan.js';

/** The long forms of what background work has to stand: `npm run soak -- scan`, all of them without a name. */
const say = (line: string) => void process.stdout.write(`${line}\n`);
const given = process.argv.slice(2);
/** `--seeds=200` or `--seeds 200`. */
const args = given.filter(text => text !== '--apart').flatMap(text => (text.startsWith('--') ? text.split('=') : [text]));
const number = (name: string, initial: number) => {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? initial : Number(args[at + 1]);
};

/** Control plane and replica have a core each (`taskset`): what work in the background costs requests, without what the API server costs them. */
const apart = given.includes('--apart');

const runs: Readonly<Record<string, () => Promise<void>>> = {
  reapply: () => soakReapply(number('applies', 10_000), say),
  idle: () => soakIdle({policies: number('policies', 300), objects: number('objects', 2_000), milliseconds: number('seconds', 600) * 1000}, say),
  generate: () => soakGenerate({namespaces: number('namespaces', 1_000), load: number('load', 50), apart}, say),
  // The two sizes that the installation's resource profiles are for.
  'limits-small': () => soakLimits({pods: 900, load: number('load', 20), seconds: number('seconds', 60), limits: {memoryMiB: 512, milliCpu: 500}}, say),
  'limits-large': () => soakLimits({pods: 5_000, load: number('load', 50), seconds: number('seconds', 60), limits: {memoryMiB: 1024, milliCpu: 1_000}}, say),
  property: () => soakProperty({seeds: number('seeds', 200), first: number('first', 1)}, say),
  scan: () => soakScan({pods: number('pods', 10_000), configMaps: number('configmaps', 9_000), load: number('load', 100), apart}, say),
};

const wanted = args.filter((text, index) => !text.startsWith('--') && args[index - 1]?.startsWith('--') !== true);
const unknown = wanted.filter(name => !Object.hasOwn(runs, name));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; there are ${Object.keys(runs).join(', ')}`);
for (const [name, run] of Object.entries(runs)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  say(`\n${name}, ${new Date().toISOString()}`);
  await run();
}
