import packageJson from '../package.json' with {type: 'json'};
import {plainSwitches} from './commands/boolean-values.js';
import {registerBreakGlass} from './commands/break-glass.js';
import {registerBench} from './commands/bench.js';
import {registerCompletion} from './commands/completion.js';
import {registerCreate} from './commands/create.js';
import {registerDocs} from './commands/docs.js';
import {registerApply} from './commands/apply.js';
import {registerExplain} from './commands/explain.js';
import {registerFix} from './commands/fix.js';
import {registerJp} from './commands/jp.js';
import {registerJson} from './commands/json.js';
import {registerLint} from './commands/lint.js';
import {registerMigrate} from './commands/migrate.js';
import {registerOperator} from './commands/operator.js';
import {registerRbac} from './commands/rbac.js';
import {registerServe} from './commands/serve.js';
import {registerTest} from './commands/test.js';
import {registerUninstall} from './commands/uninstall.js';
import {registerVersion} from './commands/version.js';
import {guardOutput} from './output/guard-output.js';
import {completeGroups, createProgram} from './usage.js';

guardOutput();

/** The `kyverno` command. Each sub-command says what it takes here; what it does is loaded when it is asked for. */
const program = createProgram('kyverno')
  .description('Policies as Kubernetes objects: the operator, and everything that authors need without a cluster.')
  .version(packageJson.version);

for (const register of [
  registerServe,
  registerOperator,
  registerJp,
  registerCreate,
  registerFix,
  registerMigrate,
  registerBreakGlass,
  registerUninstall,
  registerJson,
  registerDocs,
  registerCompletion,
  registerTest,
  registerApply,
  registerExplain,
  registerLint,
  registerBench,
  registerRbac,
  registerVersion,
])
  register(program);
completeGroups(program);

program.parseAsync(plainSwitches(program, process.argv.slice(2)), {from: 'user'}).catch((error: unknown) => {
  process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
