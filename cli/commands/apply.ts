import type {Command} from 'commander';
import {integerFlag, slice} from '../files/slice-flag.js';
import {processStreams} from '../output/streams.js';

export function registerApply(program: Command): void {
  const command = program
    .command('apply')
    .description('judge resources by policies, offline or in a cluster')
    .argument('[policy...]', 'policy files, folders, git URLs, or - for standard input');
  // Several names of one flag append to one list.
  const lists: Record<string, readonly string[]> = {};
  const list = (flag: string, description: string, name?: string) => {
    command.option(flag, description, (value: string) => {
      const key = name ?? flag;
      lists[key] = slice(value, lists[key]);
      return lists[key];
    });
  };
  list('-r, --resource <paths>', 'resource files, folders, URLs, or - for standard input', 'resource');
  list('--resources <paths>', 'same as --resource', 'resource');
  list('--json <paths>', 'JSON or YAML payloads that are no Kubernetes objects');
  list('--http-payload <paths>', 'HTTP requests for policies of mode HTTP');
  list('--envoy-payload <paths>', 'Envoy requests for policies of mode Envoy');
  list('--target-resource <paths>', 'objects that rules may change', 'target');
  list('--target-resources <paths>', 'same as --target-resource', 'target');
  list('--parameter-resource <paths>', 'parameters of admission policies', 'parameter');
  list('--parameter-resources <paths>', 'same as --parameter-resource', 'parameter');
  list('-e, --exception <paths>', 'exception files', 'exception');
  list('--exceptions <paths>', 'same as --exception', 'exception');
  list('-s, --set <values>', 'variables: key=value');
  list('--crd-paths <paths>', 'files of CustomResourceDefinitions', 'crd');
  list('--crd-path <paths>', 'same as --crd-paths', 'crd');
  command
    .option('-c, --cluster', 'judge the objects of a cluster')
    .option('-n, --namespace <name>', 'with --cluster: only this namespace')
    .option('--cluster-wide-resources', 'with --cluster: only cluster-scoped objects')
    .option('--kubeconfig <path>', 'with --cluster: the kubeconfig')
    .option('--context <name>', 'with --cluster: the context of the kubeconfig')
    .option('--concurrent <number>', 'with --cluster: collections read at the same time', integerFlag, 1)
    .option('--batch-size <number>', 'with --cluster: objects per page', integerFlag, 100)
    .option('--continue-on-error', 'with --cluster: go on when a collection cannot be read (the default)')
    .option('--no-continue-on-error', 'with --cluster: end when a collection cannot be read')
    .option('--show-performance', 'with --cluster: tell how long reading took')
    .option('-o, --output <path>', 'a .yaml file or a folder for changed and generated objects')
    .option('-u, --userinfo <path>', 'who asks')
    .option('-f, --values-file <path>', 'values of variables')
    .option('--context-file <path>', 'what CEL libraries answer')
    .option('-p, --policy-report', 'print reports')
    .option('--output-format <format>', 'of reports: yaml or json; sarif or junit print results in that format', 'yaml')
    .option('-i, --stdin', 'print changed and generated objects alone')
    .option('--registry', 'allow access to image registries')
    .option('--kmsPluginsDirectory <path>', 'absolute folder of programs sigstore-kms-* that are asked for public keys')
    .option('--kmsPluginEnvironment <names>', 'variables that these programs see: names, or AWS_* for all that begin so')
    .option('-b, --git-branch <branch>', 'branch of git URLs; their tail is then a folder')
    .option('--username <name>', 'for git URLs')
    .option('--password <text>', 'for git URLs')
    .option('--audit-warn', 'failures of audit policies are warnings')
    .option('--warn-exit-code <number>', 'exit status when there are only warnings', integerFlag, 0)
    .option('--warn-no-pass', 'end with the exit status for warnings when nothing passed')
    .option('-t, --table', 'print a table')
    .option('--detailed-results', 'show messages in the table')
    .option('--remove-color', 'no colours')
    .option('--exceptions-within-resources', 'take exceptions from the resources')
    .option('--exceptions-with-resources', 'same as --exceptions-within-resources')
    .option('--exceptions-within-policies', 'take exceptions from the policies too')
    .option('--generate-exceptions', 'print an exception for each failure')
    .option('--generated-exception-ttl <duration>', 'how long generated exceptions live; 0 for ever', '720h')
    .option('--continue-on-fail', 'go on when a resource cannot be judged')
    .option('--warnings-as-errors', 'deprecated and loose forms are errors')
    .action(async (policies: string[], options) => {
      const flags = {
        ...options,
        resource: lists['resource'],
        targetResource: lists['target'],
        parameterResource: lists['parameter'],
        exception: lists['exception'],
        crdPaths: lists['crd'],
        exceptionsWithinResources: options.exceptionsWithinResources || options.exceptionsWithResources,
      };
      if (options.cluster) {
        const {runApplyInCluster} = await import('../apply/cluster/run-in-cluster.js');
        process.exitCode = await runApplyInCluster(policies, flags);
      } else {
        const {runApply} = await import('../apply/run-apply.js');
        process.exitCode = await runApply(policies, flags, {streams: processStreams});
      }
    });
}
