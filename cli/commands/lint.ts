import type {Command} from 'commander';
import packageJson from '../../package.json' with {type: 'json'};
import {slice} from '../files/slice-flag.js';

export function registerLint(program: Command): void {
  program
    .command('lint')
    .description('find what is legal in policies and yet likely to hurt')
    .argument('<policy...>', 'policy files or folders')
    .option('-o, --output <format>', 'text, json or sarif', 'text')
    .option('--fail-on <severity>', 'exit with 1 from this severity on: error, warning, info or never', 'error')
    .option('-r, --resource <paths>', 'objects that mutate rules are tried on as well (repeatable)', slice)
    .option('--ignore <ids>', 'findings that are left out (repeatable)', slice)
    .option('--remove-color', 'no colours')
    .action(async (paths: string[], options) => {
      const [{runLint}, {processStreams}] = await Promise.all([
        import('../lint/run-lint.js'),
        import('../output/streams.js'),
      ]);
      process.exitCode = await runLint(paths, options, {streams: processStreams, version: packageJson.version});
    });
}
