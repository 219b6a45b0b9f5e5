import type {Command} from 'commander';

export function registerDocs(program: Command): void {
  program
    .command('docs')
    .description('write the documentation of every command as Markdown')
    .option('-o, --output <folder>', 'folder to write to (required)')
    .option('--website', 'front matter for a web site', false)
    .option('--noDate', 'leave the date out', false)
    .option('--markdownLinks', 'links to files instead of pages', false)
    .option('--autogenTag', 'say on each page that it is generated', false)
    .action(async options => {
      const [{commandTree}, {writeDocs}, {requireFlags}] = await Promise.all([
        import('../docs/command-tree.js'),
        import('../docs/write-docs.js'),
        import('../create/write-out.js'),
      ]);
      requireFlags(options, {output: 'output'});
      const date = options.noDate ? undefined : new Date().toISOString().slice(0, 10);
      await writeDocs(commandTree(program), options.output, {...options, ...(date !== undefined && {date})});
    });
}
