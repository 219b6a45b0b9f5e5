import type {Command} from 'commander';
import {slice} from '../files/slice-flag.js';

export function registerExplain(program: Command): void {
  program
    .command('explain')
    .description('tell step by step how policies decide about resources')
    .argument('<policy>', 'policy file or folder')
    .argument('<resource>', 'resource file or folder')
    .option('--rule <name>', 'only this rule and what is derived from it')
    .option('--json', 'as JSON')
    .option('--operation <operation>', 'CREATE, UPDATE or DELETE; UPDATE when --old-resource is given, else CREATE')
    .option('--old-resource <file>', 'the object before the change')
    .option('-u, --userinfo <file>', 'who asks')
    .option('-f, --values-file <file>', 'values of variables')
    .option('-s, --set <values>', 'variables: key=value (repeatable)', slice)
    .option('-e, --exception <files>', 'exception files (repeatable)', slice)
    .option('--remove-color', 'no colours')
    .action(async (policy: string, resource: string, options) => {
      const [{runExplain}, {processStreams}] = await Promise.all([
        import('../explain/run-explain.js'),
        import('../output/streams.js'),
      ]);
      process.exitCode = await runExplain(policy, resource, options, processStreams);
    });
}
