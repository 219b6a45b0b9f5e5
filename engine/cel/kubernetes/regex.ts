import {fn, hosted, method} from '../library/declare.js';
import type {CelHost, Library} from '../library/library.js';
import {compiled, patternFault, regexCost, searching} from '../library/regex-call.js';
import {intType, listOf, stringType} from '../types/type.js';
import type {IntValue} from '../values/index.js';

const illegal = 'Illegal regex: ';

export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  functions: [
    fn('find', hosted(method('string_find_string', [[stringType, stringType], stringType], find, regexCost))),
    fn(
      'findAll',
      hosted(method('string_find_all_string', [[stringType, stringType], listOf(stringType)], findAll, regexCost)),
      hosted(
        method(
          'string_find_all_string_int',
          [[stringType, stringType, intType], listOf(stringType)],
          findAll,
          regexCost,
        ),
      ),
    ),
  ],
  literalChecks: {find: patternFault, findAll: patternFault},
};

function find(host: CelHost, text: string, pattern: string): string {
  return compiled(host, pattern, illegal).findText(text) ?? '';
}

function findAll(host: CelHost, text: string, pattern: string, limit: IntValue = -1): string[] {
  const regex = compiled(host, pattern, illegal);
  return regex.findAllTexts(text, searching(host, limit < 0 ? undefined : Number(limit)));
}
