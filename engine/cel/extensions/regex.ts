import type {CompiledRegex} from '../../regex/types.js';
import {goQuote} from '../../values/go-quote.js';
import {CelError} from '../errors.js';
import {fn, global, hosted} from '../library/declare.js';
import type {CelHost, Library} from '../library/library.js';
import {compiled, regexCost, searching} from '../library/regex-call.js';
import {intType, listOf, optionalOf, stringType} from '../types/type.js';
import type {IntValue} from '../values/index.js';
import {Optional} from '../values/value.js';
import {expand, readReplacement} from './regex-replacement.js';

/** cel-go's regex library, version 1. */
export const regexLibrary: Library = {
  name: 'regex',
  functions: [
    fn(
      'regex.extract',
      hosted(
        global('regex_extract_string_string', [[stringType, stringType], optionalOf(stringType)], extract, regexCost),
      ),
    ),
    fn(
      'regex.extractAll',
      hosted(
        global('regex_extractAll_string_string', [[stringType, stringType], listOf(stringType)], extractAll, regexCost),
      ),
    ),
    fn(
      'regex.replace',
      hosted(
        global(
          'regex_replace_string_string_string',
          [[stringType, stringType, stringType], stringType],
          replace,
          regexCost,
        ),
      ),
      hosted(
        global(
          'regex_replace_string_string_string_int',
          [[stringType, stringType, stringType, intType], stringType],
          replace,
          regexCost,
        ),
      ),
    ),
  ],
};

/** With at most one group, whose text is what is wanted. */
function extracting(host: CelHost, pattern: string): CompiledRegex {
  const regex = compiled(host, pattern);
  if (regex.groupCount <= 1) return regex;
  throw new CelError(`regular expression has more than one capturing group: ${goQuote(pattern)}`);
}

function extract(host: CelHost, text: string, pattern: string): Optional {
  const regex = extracting(host, pattern);
  if (regex.groupCount === 0) {
    const found = regex.findText(text);
    return found === undefined ? Optional.none : new Optional(found);
  }
  // A group that is empty counts as none.
  const found = regex.find(text)?.groups[1];
  return found ? new Optional(found) : Optional.none;
}

function extractAll(host: CelHost, text: string, pattern: string): string[] {
  const regex = extracting(host, pattern);
  if (regex.groupCount === 0) return regex.findAllTexts(text, searching(host));
  return regex.findAll(text, searching(host)).flatMap(match => match.groups[1] || []);
}

function replace(host: CelHost, text: string, pattern: string, replacement: string, count: IntValue = -1): string {
  if (count === 0) return text;
  const regex = compiled(host, pattern);
  const matches = regex.findAll(text, searching(host, count < 0 ? undefined : Number(count)));
  if (matches.length === 0) return text;
  const pieces = readReplacement(replacement, regex.groupCount);
  const parts: string[] = [];
  let from = 0;
  for (const match of matches) {
    const made = expand(pieces, match);
    host.budget.bytes(made.length);
    parts.push(text.slice(from, match.start), made);
    from = match.end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}
