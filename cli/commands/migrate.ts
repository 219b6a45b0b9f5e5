import type {Command} from 'commander';
import {slice} from '../files/slice-flag.js';

const none: readonly string[] = [];

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('write custom resources in a cluster once more, in their storage version')
    .option(
      '--resource <name>',
      'CustomResourceDefinition, e.g. policies.kyverno.io (repeatable, required without --all)',
      slice,
      none,
    )
    .option('--all', 'every CustomResourceDefinition of policies, requests and reports')
    .option('--kubeconfig <file>', 'kubeconfig; $KUBECONFIG or ~/.kube/config when absent')
    .option('--context <name>', 'context of the kubeconfig')
    .action(async options => {
      const [{requireFlags}, {runMigrate}] = await Promise.all([
        import('../create/write-out.js'),
        import('../migrate/run-migrate.js'),
      ]);
      if (options.all !== true) requireFlags(options, {resource: 'resource'});
      await runMigrate(options);
    });
}
