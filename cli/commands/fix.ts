import type {Command} from 'commander';

export function registerFix(program: Command): void {
  const fix = program.command('fix').description('bring files to their current forms');
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
