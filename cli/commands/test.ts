import {type Command, InvalidArgumentError} from 'commander';

export function registerTest(program: Command): void {
  program
    .command('test')
    .description('run the tests of a folder or git repository against their policies')
    .argument('<path...>', 'folders, or git URLs')
    .option('-f, --file-name <name>', 'name of test files', 'kyverno-test.yaml')
    .option('-b, --git-branch <branch>', 'branch of a git URL; its tail is then a folder')
    .option(
      '-t, --test-case-selector <selector>',
      'which results take part: key=wildcard, comma-separated',
      'policy=*,rule=*,resource=*',
    )
    .option('-o, --output-format <format>', 'json, yaml, markdown or junit; progress goes to standard error')
    .option('--fail-only', 'show only what failed, at the end')
    .option('--detailed-results', 'show messages')
    .option('--remove-color', 'no colours')
    .option('--registry', 'allow access to image registries')
    .option('--kmsPluginsDirectory <path>', 'absolute folder of programs sigstore-kms-* that are asked for public keys')
    .option('--kmsPluginEnvironment <names>', 'variables that these programs see: names, or AWS_* for all that begin so')
    .option('--require-tests', 'finding no tests is an error')
    .option('--warnings-as-errors', 'deprecated and loose forms are errors')
    .option('--strict-results', 'names that match no resource are reported instead of meaning every resource')
    .option(
      '--coverage [file]',
      'show which rules, anchors, conditions and branches no test reached; also as JSON to a file',
    )
    .option('--coverage-min <percent>', 'less coverage is an error', percent)
    .action(async (paths: string[], options) => {
      const {runTest} = await import('../test/run-test.js');
      const {processStreams} = await import('../output/streams.js');
      process.exitCode = await runTest(paths, options, processStreams);
    });
}

function percent(text: string): number {
  const value = Number(text.replace(/%$/, ''));
  if (text.trim() === '' || !(value >= 0 && value <= 100)) throw new InvalidArgumentError('a percentage is wanted.');
  return value;
}
