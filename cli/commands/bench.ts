import {type Command, InvalidArgumentError} from 'commander';
import {slice} from '../files/slice-flag.js';

export function registerBench(program: Command): void {
  program
    .command('bench')
    .description('measure how long policies take, and compare with a saved baseline')
    .argument('<policy...>', 'policy files or folders')
    .option('-r, --resource <paths>', 'resource files or folders (repeatable)', slice)
    .option('--iterations <number>', 'calls that count, per policy and per rule', count, 2000)
    .option('--warmup <number>', 'calls before them', count, 500)
    .option('--rounds <number>', 'rounds they are split into, each with its own calibration', count, 5)
    .option('--operation <operation>', 'CREATE, UPDATE or DELETE', 'CREATE')
    .option('--save <file>', 'write the figures as a baseline')
    .option('--compare <file>', 'compare with a baseline: an error when something is slower')
    .option('--threshold <percent>', 'how much slower is allowed', percent, 20)
    .option('-u, --userinfo <file>', 'who asks')
    .option('-f, --values-file <file>', 'values of variables')
    .option('-e, --exception <files>', 'exception files (repeatable)', slice)
    .option('--json', 'figures as JSON')
    .action(async (paths: string[], options) => {
      const [{runBench}, {processStreams}] = await Promise.all([
        import('../bench/run-bench.js'),
        import('../output/streams.js'),
      ]);
      process.exitCode = await runBench(paths, options, {streams: processStreams, now: process.hrtime.bigint});
    });
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('a positive number is wanted.');
  return Number(text);
}

function percent(text: string): number {
  const value = Number(text.replace(/%$/, ''));
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('a percentage is wanted.');
  return value;
}
