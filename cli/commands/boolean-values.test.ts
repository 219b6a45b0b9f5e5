import {Command} from 'commander';
import {expect, it} from 'vitest';
import {plainSwitches} from './boolean-values.js';

const program = new Command('x');
program
  .command('apply')
  .argument('[policy...]')
  .option('-t, --table')
  .option('--go-on')
  .option('--no-go-on')
  .option('--format <text>');

it.each<[args: readonly string[], plain: readonly string[]]>([
  [
    ['apply', '--table=true', 'p'],
    ['apply', '--table', 'p'],
  ],
  [
    ['apply', '--table=false', 'p'],
    ['apply', 'p'],
  ],
  [
    ['apply', '--go-on=0'],
    ['apply', '--no-go-on'],
  ],
  [
    ['apply', '--format=true'],
    ['apply', '--format=true'],
  ],
  [
    ['apply', '--table=maybe'],
    ['apply', '--table=maybe'],
  ],
  [['--table=true'], ['--table=true']],
  [
    ['apply', '--', '--table=true'],
    ['apply', '--', '--table=true'],
  ],
])('%j is read as %j', (args, plain) => {
  expect(plainSwitches(program, args)).toEqual(plain);
});
