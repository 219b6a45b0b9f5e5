// `npm run e2e:install`: the installations of test/install, in network and mount namespaces of their own, where addresses
// and port numbers are free and nothing leads outside. Without root it says so and the tests report themselves as skipped.
import {spawnSync} from 'node:child_process';
import {resolve} from 'node:path';

const root = resolve(import.meta.dirname, '..');
const vitest = ['npx', 'vitest', 'run', '--project', 'install', ...process.argv.slice(2)];
const script = 'ip link set lo up && mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && exec "$@"';
const isolated = process.getuid?.() === 0 ? ['unshare', '--net', '--mount', 'sh', '-c', script, 'sh', ...vitest] : vitest;
const [program, ...args] = isolated;
const {status} = spawnSync(program, args, {cwd: root, stdio: 'inherit'});
process.exit(status ?? 1);
