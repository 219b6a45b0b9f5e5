import type {Command} from 'commander';

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('serve admission off a folder of policy files')
    .option('--policies <path>', 'folder (or file) of policies', 'docs/samples/policies')
    .option('--resources <path...>', 'folders of objects that policies may read (Namespaces, ConfigMaps)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks one', '9443')
    .option('--metrics-port <number>', 'port of /metrics; 0 turns it off', '8000')
    .option('--tls-dir <path>', 'where certificates of earlier starts are kept')
    .option('--loggingFormat <format>', 'text or json', 'text')
    .option('--v <level>', 'verbosity 0 to 5', '2')
    .action(async options => {
      const {serve} = await import('../serve/serve.js');
      process.exitCode = await serve(options);
    });
}
