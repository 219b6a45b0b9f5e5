import type {Command} from 'commander';

export function registerUninstall(program: Command): void {
  program
    .command('uninstall')
    .description('stop the operator and take back what it holds; policies, reports and generated objects stay')
    .option('--namespace <name>', 'namespace of the operator', 'kyverno')
    .option('--deployment <name>', 'Deployment of the operator', 'kyverno')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--kubeconfig <file>', 'kubeconfig; $KUBECONFIG or ~/.kube/config when absent')
    .option('--context <name>', 'context of the kubeconfig')
    .action(async options => {
      const {runUninstall} = await import('../uninstall/run-uninstall.js');
      await runUninstall(options);
    });
}
