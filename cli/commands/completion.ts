import {Argument, type Command} from 'commander';

export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('write a script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'powershell']))
    .action(async (shell: 'bash' | 'zsh' | 'fish' | 'powershell') => {
      const [{commandTree}, {completionScript}] = await Promise.all([
        import('../docs/command-tree.js'),
        import('../completion/scripts.js'),
      ]);
      process.stdout.write(completionScript(shell, commandTree(program)));
    });
}
