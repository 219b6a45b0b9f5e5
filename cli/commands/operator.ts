import type {Command} from 'commander';

export function registerOperator(program: Command): void {
  program
    .command('operator')
    .description('run the operator in its cluster, or against --kubeconfig')
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(async (_options, command: Command) => {
      const {runOperator} = await import('../../operator/main.js');
      process.exitCode = await runOperator(command.args);
    });
}
