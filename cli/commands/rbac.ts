import type {Command} from 'commander';
import {slice} from '../files/slice-flag.js';

export function registerRbac(program: Command): void {
  program
    .command('rbac')
    .description('print the roles that policies need beyond those of the installation')
    .argument('[policy...]', 'policy files or folders, or names of policies in the cluster (name or namespace/name)')
    .option('--cluster', 'kinds as the cluster has them; without a policy: all policies of the cluster')
    .option('--kubeconfig <file>', 'kubeconfig; $KUBECONFIG or ~/.kube/config when absent')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--crds <paths>', 'CustomResourceDefinitions of kinds that policies name (repeatable)', slice)
    .option('-a, --all', 'also what the installation grants by itself')
    .option('--name <name>', 'middle part of the names of the roles; the policy\'s name, or "policies" for several')
    .option('-n, --namespace <namespace>', 'namespace of the operator', 'kyverno')
    .option('--service-account <name>', 'service account of the operator', 'kyverno')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .action(async (policies: string[], options) => {
      const {runRbacInCluster} = await import('../apply/cluster/run-in-cluster.js');
      process.exitCode = await runRbacInCluster(policies, options);
    });
}
