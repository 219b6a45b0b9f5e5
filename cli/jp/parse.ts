import {CompileError} from '../../engine/diagnostic.js';
import {parseQuery} from '../../engine/jmespath/parser.js';
import {readText} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import {dumpAst} from './dump-ast.js';
import {ask, type Streams} from './streams.js';

/** `kyverno jp parse`: what each expression is read as. Throws `FileError` with the first that cannot be read. */
export async function parseCommand(
  expressions: readonly string[],
  options: {readonly file: readonly string[]},
  {input, output}: Streams,
): Promise<void> {
  const queries = [...expressions];
  for (const path of options.file) queries.push(await readText(path));
  if (queries.length === 0) queries.push((await ask({input, output}, 'a jmespath expression')).replace(/\r?\n$/, ''));
  for (const query of queries) {
    const tree = parse(query);
    output.write(`# ${query}\n${tree}`);
  }
}

function parse(query: string): string {
  try {
    return dumpAst(parseQuery(query), query);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const {diagnostic} = error;
    throw new FileError([diagnostic.message, ...(diagnostic.hint === undefined ? [] : [diagnostic.hint])].join('\n'));
  }
}
