import type {Command} from 'commander';
import {slice} from '../files/slice-flag.js';

const none: readonly string[] = [];

export function registerJson(program: Command): void {
  const json = program.command('json').description('judge JSON of any kind');
  json
    .command('scan')
    .description('judge payloads by policies of assertion trees (json.kyverno.io/v1alpha1)')
    .option('--payload <file>', 'JSON or YAML file (repeatable, required)', slice, none)
    .option('--policy <path>', 'file or folder of policies (repeatable, required)', slice, none)
    .option('--pre-process <expression>', 'JMESPath that the payload goes through first (repeatable)', collect, none)
    .option('-o, --output <format>', 'text, json or yaml', 'text')
    .action(async options => {
      const [{requireFlags}, {scan}, {processStreams}] = await Promise.all([
        import('../create/write-out.js'),
        import('../json/scan.js'),
        import('../output/streams.js'),
      ]);
      requireFlags(options, {payload: 'payload', policy: 'policy'});
      process.exitCode = await scan(options, processStreams);
    });
}

/** Each occurrence as it is: expressions hold commas. */
function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
