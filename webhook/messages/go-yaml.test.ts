import {describe, expect, it} from 'vitest';
import {writeYaml} from './go-yaml.js';
import {compareKeys} from './key-order.js';

describe('scalars print as the Go YAML library prints them', () => {
  it.each([
    ['plain text stays bare', 'label app is required', 'label app is required'],
    ['a colon and blank asks for single quotes', 'validation error: no', "'validation error: no'"],
    ['a colon inside a word does not', 'see a:b', 'see a:b'],
    ['a colon at the end does', 'path:', "'path:'"],
    ['single quotes double inside single quotes', "it's wrong: no", "'it''s wrong: no'"],
    ['single quotes in bare text stay', "it's wrong", "it's wrong"],
    ['a hash after a blank asks for quotes', 'a #1', "'a #1'"],
    ['a hash inside a word does not', 'a#1', 'a#1'],
    ['an indicator at the start asks for quotes', '*.io is wrong', "'*.io is wrong'"],
    ['a bracket inside does not', 'rules[0] failed', 'rules[0] failed'],
    ['a dash and blank at the start asks for quotes', '- no', "'- no'"],
    ['a dash before a word does not', '-no', '-no'],
    ['blanks at the ends ask for quotes', ' a ', "' a '"],
    ['what reads as a bool is double quoted', 'true', '"true"'],
    ['an old bool too', 'yes', '"yes"'],
    ['what reads as null is double quoted', 'null', '"null"'],
    ['nothing is double quoted', '', '""'],
    ['a number is double quoted', '10', '"10"'],
    ['a fraction is double quoted', '1.5', '"1.5"'],
    ['a version is no number', '1.5.2', '1.5.2'],
    ['a date is double quoted', '2026-01-01', '"2026-01-01"'],
    ['a time of day is double quoted', '12:30', '"12:30"'],
    ['a tab is escaped', 'a\tb', '"a\\tb"'],
    ['a control character is escaped', 'a\u0001b', '"a\\x01b"'],
    ['other scripts stay bare', 'ラベルが必要です', 'ラベルが必要です'],
    ['astral characters are escaped', 'ok 😀', '"ok \\U0001F600"'],
    ['several lines make a literal block', 'one\ntwo', '|-\n    one\n    two'],
    ['a last line end is kept', 'one\ntwo\n', '|\n    one\n    two'],
    ['blank before a line end forbids the block', 'one \ntwo', '"one \\ntwo"'],
    ['a block that starts with a blank says its indent', ' one\ntwo', '|2-\n     one\n    two'],
    ['empty lines have no indent', 'one\n\ntwo', '|-\n    one\n\n    two'],
    ['long text is not folded', 'word '.repeat(60).trim(), 'word '.repeat(60).trim()],
  ])('%s', (_name, value, expected) => {
    expect(writeYaml(new Map([['policy', new Map([['rule', value]])]]))).toBe(`policy:\n  rule: ${expected}\n`);
  });
});

it('keys are quoted where they would read as something else', () => {
  expect(writeYaml(new Map([['123', new Map([['check: it', 'x']])]]))).toBe(`"123":\n  'check: it': x\n`);
});

it('keys come in the library’s natural order', () => {
  const keys = ['rule-10', 'rule-9', 'b', 'a', 'a1', 'a-b', 'A'];
  expect([...keys].sort(compareKeys)).toEqual(['A', 'a', 'a-b', 'a1', 'b', 'rule-9', 'rule-10']);
});
