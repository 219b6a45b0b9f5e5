import {type Command, InvalidArgumentError} from 'commander';
import {slice} from '../files/slice-flag.js';

const none: readonly string[] = [];

/** Each occurrence of a flag as it is, commas included. */
function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

function boolean(written: string): boolean {
  // `-b=false` is how many write it.
  const value = written.replace(/^=/, '');
  if (/^(1|t|true)$/i.test(value)) return true;
  if (/^(0|f|false)$/i.test(value)) return false;
  throw new InvalidArgumentError('true or false is wanted.');
}

export function registerCreate(program: Command): void {
  const create = program.command('create').description('write the beginning of a file');
  registerTest(create);
  registerValues(create);
  registerUserInfo(create);
  registerException(create);
  registerMetricsConfig(create);
  registerClusterRole(create);
}

async function tools() {
  const [out, {processStreams}] = await Promise.all([import('../create/write-out.js'), import('../output/streams.js')]);
  return {...out, streams: processStreams};
}

function registerTest(create: Command): void {
  create
    .command('test')
    .description('a test file')
    .option('-o, --output <file>', 'file to write; standard output when absent')
    .option('-n, --name <name>', 'name of the test', 'test-name')
    .option('-p, --policies <path>', 'policy file (repeatable)', slice, none)
    .option('-r, --resources <path>', 'resource file (repeatable)', slice, none)
    .option('-f, --values <file>', 'values file')
    .option('--pass <row>', 'policy,rule,resource,namespace,kind[,patchedResources] (repeatable)', collect, none)
    .option('--fail <row>', 'as --pass', collect, none)
    .option('--skip <row>', 'as --pass', collect, none)
    .action(async options => {
      const [{createTest}, {writeOut, streams}] = await Promise.all([import('../create/create-test.js'), tools()]);
      await writeOut(createTest(options), options.output, streams);
    });
}

function registerValues(create: Command): void {
  create
    .command('values')
    .description('a values file')
    .option('-o, --output <file>', 'file to write; standard output when absent')
    .option('-g, --global <key=value>', 'value for every policy (repeatable)', collect, none)
    .option('-n, --ns-selector <labels>', 'namespace,label=value,… (repeatable)', collect, none)
    .option('--rule <values>', 'policy,rule,key=value,… (repeatable)', collect, none)
    .option('--resource <values>', 'policy,resource,key=value,… (repeatable)', collect, none)
    .action(async options => {
      const [{createValues}, {writeOut, streams}] = await Promise.all([import('../create/create-values.js'), tools()]);
      await writeOut(createValues(options), options.output, streams);
    });
}

function registerUserInfo(create: Command): void {
  create
    .command('user-info')
    .description('a file that says who asks')
    .option('-o, --output <file>', 'file to write; standard output when absent')
    .option('-u, --username <name>', 'name of the user')
    .option('-r, --roles <role>', 'namespace:name (repeatable)', slice, none)
    .option('-c, --cluster-roles <role>', 'name (repeatable)', slice, none)
    .option('-g, --groups <group>', 'name (repeatable)', slice, none)
    .action(async options => {
      const [{createUserInfo}, {writeOut, streams}] = await Promise.all([
        import('../create/create-user-info.js'),
        tools(),
      ]);
      await writeOut(createUserInfo(options), options.output, streams);
    });
}

function registerException(create: Command): void {
  create
    .command('exception')
    .description('a PolicyException')
    .argument('<name>')
    .option('-o, --output <file>', 'file to write; standard output when absent')
    .option('--namespace <namespace>', 'namespace of the exception', 'default')
    .option('-b, --background [enabled]', 'whether it counts in background scans', boolean, true)
    .option('--policy-rules <policy,rule,…>', 'policy and its rules (repeatable)', collect, none)
    .option('--any <filter>', 'kind=…,name=…,namespace=…,operation=… (repeatable)', collect, none)
    .option('--all <filter>', 'as --any', collect, none)
    .action(async (name: string, options) => {
      const [{createException}, {writeOut, requireFlags, streams}] = await Promise.all([
        import('../create/create-exception.js'),
        tools(),
      ]);
      requireFlags(options, {policyRules: 'policy-rules'});
      await writeOut(createException(name, options), options.output, streams);
    });
}

function registerMetricsConfig(create: Command): void {
  create
    .command('metrics-config')
    .description('the ConfigMap of the metrics')
    .option('-o, --output <file>', 'file to write; standard output when absent')
    .option('-n, --name <name>', 'name of the ConfigMap', 'kyverno-metrics')
    .option('--namespace <namespace>', 'namespace of the ConfigMap', 'kyverno')
    .option('-i, --include <namespace>', 'namespace with metrics of its own (repeatable)', slice, none)
    .option('-e, --exclude <namespace>', 'namespace without (repeatable)', slice, none)
    .action(async options => {
      const [{createMetricsConfig}, {writeOut, streams}] = await Promise.all([
        import('../create/create-metrics-config.js'),
        tools(),
      ]);
      await writeOut(createMetricsConfig(options), options.output, streams);
    });
}

function registerClusterRole(create: Command): void {
  create
    .command('cluster-role')
    .description('a ClusterRole that adds rights to the controllers')
    .argument('<name>')
    .option('-o, --output <file>', 'file to write; standard output when absent')
    .option('-g, --api-groups <group>', 'API group; empty for the core group')
    .option('--resources <resource>', 'plural name (repeatable)', slice, none)
    .option('--verbs <verb>', 'verb, or all (repeatable)', slice, none)
    .option('--controllers <controller>', 'whose rights to add to (repeatable)', slice)
    .action(async (name: string, options) => {
      const [{createClusterRole}, {writeOut, requireFlags, streams}] = await Promise.all([
        import('../create/create-cluster-role.js'),
        tools(),
      ]);
      requireFlags(options, {apiGroups: 'api-groups', resources: 'resources', verbs: 'verbs'});
      const controllers = options.controllers ?? ['background-controller'];
      await writeOut(createClusterRole(name, {...options, controllers}), options.output, streams);
    });
}
