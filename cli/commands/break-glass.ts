import type {Command} from 'commander';

export function registerBreakGlass(program: Command): void {
  program
    .command('break-glass')
    .description('take every webhook configuration of the operator out of the way of a cluster that is locked out')
    .option('--ignore', 'keep the configurations, and have requests pass while nobody answers')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--kubeconfig <file>', 'kubeconfig; $KUBECONFIG or ~/.kube/config when absent')
    .option('--context <name>', 'context of the kubeconfig')
    .action(async options => {
      const {runBreakGlass} = await import('../break-glass/run-break-glass.js');
      await runBreakGlass(options);
    });
}
