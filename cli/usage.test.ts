import {describe, expect, it, vi} from 'vitest';
import {completeGroups, createProgram} from './usage.js';

function run(...words: readonly string[]): {readonly code: number; readonly out: string; readonly err: string} {
  const program = createProgram('kyverno').exitOverride();
  const group = program.command('jp').description('expressions').exitOverride();
  group
    .command('query')
    .argument('[words...]')
    .option('-i, --input <file>', 'file')
    .exitOverride()
    .action(() => undefined);
  completeGroups(program);
  let [code, out, err] = [0, '', ''];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(text => Boolean((out += String(text))));
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(text => Boolean((err += String(text))));
  try {
    program.parse(words, {from: 'user'});
  } catch (error) {
    code = (error as {exitCode: number}).exitCode;
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
  return {code, out, err};
}

describe('usage', () => {
  const cases: readonly [readonly string[], number, string][] = [
    [['nope'], 1, 'Error: unknown command "nope" for "kyverno"\nRun \'kyverno --help\' for usage.\n'],
    [['jp', 'nope'], 1, 'Error: unknown command "nope" for "kyverno jp"\nRun \'kyverno --help\' for usage.\n'],
    [['jp', 'query', '--nope'], 1, 'Error: unknown flag: --nope\n'],
    [['jp', 'query', '-z'], 1, "Error: unknown shorthand flag: 'z' in -z\n"],
    [['jp', 'query', '-i'], 1, 'Error: flag needs an argument: --input\n'],
    [['jp', 'query', 'a', 'b'], 0, ''],
  ];
  for (const [words, code, err] of cases) {
    it(`"${words.join(' ')}" ends with ${code}`, () => expect(run(...words)).toEqual({code, out: '', err}));
  }

  for (const words of [[], ['jp']]) {
    it(`"kyverno ${words.join(' ')}" shows its help on standard output`, () => {
      const {code, out, err} = run(...words);
      expect({code, err}).toEqual({code: 0, err: ''});
      expect(out).toContain('Commands:');
    });
  }
});
