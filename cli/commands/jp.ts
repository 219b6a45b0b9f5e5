import type {Command} from 'commander';
import {slice} from '../files/slice-flag.js';

const none: readonly string[] = [];

export function registerJp(program: Command): void {
  const jp = program.command('jp').description('try JMESPath expressions as policies use them');
  jp.command('query')
    .description('evaluate expressions on a JSON or YAML input')
    .argument('[expressions...]')
    .option('-i, --input <file>', 'JSON or YAML file; the terminal when absent')
    .option('-q, --query <file>', 'file of an expression (repeatable)', slice, none)
    .option('-c, --compact', 'JSON on one line', false)
    .option('-u, --unquoted', 'text results without quotes', false)
    .action(async (expressions: string[], options) => {
      const [{queryCommand}, {processStreams}] = await Promise.all([
        import('../jp/query.js'),
        import('../jp/streams.js'),
      ]);
      await queryCommand(expressions, options, processStreams);
    });
  jp.command('parse')
    .description('show what expressions are read as')
    .argument('[expressions...]')
    .option('-f, --file <file>', 'file of an expression (repeatable)', slice, none)
    .action(async (expressions: string[], options) => {
      const [{parseCommand}, {processStreams}] = await Promise.all([
        import('../jp/parse.js'),
        import('../jp/streams.js'),
      ]);
      await parseCommand(expressions, options, processStreams);
    });
  jp.command('function')
    .description('show the functions beyond the standard language, all or those named')
    .argument('[names...]')
    .action(async (names: string[]) => {
      const [{functionCommand}, {processStreams}] = await Promise.all([
        import('../jp/function.js'),
        import('../jp/streams.js'),
      ]);
      functionCommand(names, processStreams);
    });
}
