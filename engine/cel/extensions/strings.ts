import {fn, global, hosted, method, search, walk} from '../library/declare.js';
import type {Library} from '../library/library.js';
import {dynType, intType, listOf, stringType} from '../types/type.js';
import {format} from './format.js';
import * as text from './string-functions.js';

const strings = listOf(stringType);

/** cel-go's strings library in version 2, the one of Kubernetes: without `reverse`. */
export const stringsLibrary: Library = {
  name: 'strings',
  functions: [
    fn('charAt', method('string_char_at_int', [[stringType, intType], stringType], text.charAt, walk)),
    fn(
      'indexOf',
      method('string_index_of_string', [[stringType, stringType], intType], text.indexOf, search),
      method('string_index_of_string_int', [[stringType, stringType, intType], intType], text.indexOf, search),
    ),
    fn(
      'lastIndexOf',
      method('string_last_index_of_string', [[stringType, stringType], intType], text.lastIndexOf, search),
      method(
        'string_last_index_of_string_int',
        [[stringType, stringType, intType], intType],
        text.lastIndexOfBefore,
        search,
      ),
    ),
    fn('lowerAscii', method('string_lower_ascii', [[stringType], stringType], text.lowerAscii, walk)),
    fn('upperAscii', method('string_upper_ascii', [[stringType], stringType], text.upperAscii, walk)),
    fn(
      'replace',
      method('string_replace_string_string', [[stringType, stringType, stringType], stringType], text.replace, made),
      method(
        'string_replace_string_string_int',
        [[stringType, stringType, stringType, intType], stringType],
        text.replace,
        made,
      ),
    ),
    fn(
      'split',
      method('string_split_string', [[stringType, stringType], strings], text.split, splitCost),
      method('string_split_string_int', [[stringType, stringType, intType], strings], text.split, splitCost),
    ),
    fn(
      'substring',
      method('string_substring_int', [[stringType, intType], stringType], text.substring, walk),
      method('string_substring_int_int', [[stringType, intType, intType], stringType], text.substring, walk),
    ),
    fn('trim', method('string_trim', [[stringType], stringType], text.trim, walk)),
    fn(
      'join',
      method('list_join', [[strings], stringType], text.join, joined),
      method('list_join_string', [[strings, stringType], stringType], text.join, joined),
    ),
    fn('strings.quote', global('strings_quote', [[stringType], stringType], text.quote, twice)),
    fn('format', hosted(method('string_format', [[stringType, listOf(dynType)], stringType], format, walk))),
  ],
};

function twice(value: string): number {
  return Math.ceil(value.length / 5);
}

function splitCost(value: string, separator: string): number {
  return twice(value) + search(value, separator);
}

/** What is read and what is made: a replacement can be much longer than what it is put into. */
function made(...args: Parameters<typeof text.replacedLength>): number {
  return search(args[0], args[1]) + Math.ceil(text.replacedLength(...args) / 10);
}

function joined(...args: Parameters<typeof text.joinedLength>): number {
  return args[0].length + Math.ceil(text.joinedLength(...args) / 5);
}
