import type {Command} from 'commander';
import type {ToCelFlags} from '../to-cel/run-to-cel.js';
import {setGroupAction} from '../usage.js';

export function registerFix(program: Command): void {
  const fix = program
    .command('fix')
    .description('bring files to their current forms')
    .option('--to-cel <policies...>', 'rewrite ClusterPolicies and Policies into ValidatingPolicies and their kin')
    .option('-r, --resource <paths...>', 'with --to-cel: objects on which both forms have to agree')
    .option('--suite <paths...>', 'with --to-cel: test files on whose resources both forms have to agree')
    .option('-f, --values-file <file>', 'with --to-cel: values of variables')
    .option('-u, --userinfo <file>', 'with --to-cel: who asks')
    .option('--out <folder>', 'with --to-cel: where the policies are written to; standard output when absent');
  setGroupAction(fix, () => (fix.opts()['toCel'] === undefined ? undefined : fixToCel(fix.opts())));
  fix
    .command('test')
    .description('test files, and the values and user files that they name')
    .argument('<folders...>')
    .option('-f, --file-name <name>', 'name of the test files', 'kyverno-test.yaml')
    .option('--save', 'write what changed', false)
    .option('--force', 'write files without changes, too', false)
    .option('--compress', 'join results that differ in their resources only', false)
    .action(async (folders: string[], options) => {
      const [{fixTests}, {processStreams}] = await Promise.all([
        import('../fix/run-fix.js'),
        import('../output/streams.js'),
      ]);
      await fixTests(folders, {...options, save: options.save || options.force}, processStreams);
    });
  fix
    .command('policy')
    .description('policy files')
    .argument('<folders...>')
    .option('--save', 'write what changed', false)
    .action(async (folders: string[], options) => {
      const [{fixPolicies}, {processStreams}] = await Promise.all([
        import('../fix/run-fix.js'),
        import('../output/streams.js'),
      ]);
      await fixPolicies(folders, options, processStreams);
    });
}

async function fixToCel(flags: ReturnType<Command['opts']>): Promise<void> {
  const [{runToCel}, {processStreams}] = await Promise.all([
    import('../to-cel/run-to-cel.js'),
    import('../output/streams.js'),
  ]);
  process.exitCode = await runToCel(flags as ToCelFlags, processStreams);
}
