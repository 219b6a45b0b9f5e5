import type {Library} from '../library/library.js';
import {encodersLibrary} from './encoders.js';
import {listsLibrary} from './lists.js';
import {mathLibrary} from './math.js';
import {regexLibrary} from './regex.js';
import {setsLibrary} from './sets.js';
import {stringsLibrary} from './strings.js';

export {checkFormatCall, type FormatFault} from './format-check.js';
export {sortByKeys, sortCost} from './list-functions.js';
export {encodersLibrary, listsLibrary, mathLibrary, regexLibrary, setsLibrary, stringsLibrary};

/** cel-go's extensions that the API server has. */
export const apiServerExtensionLibraries: readonly Library[] = [stringsLibrary, listsLibrary, setsLibrary];

/** The extensions of Kyverno's kinds. */
export const extensionLibraries: readonly Library[] = [
  ...apiServerExtensionLibraries,
  mathLibrary,
  encodersLibrary,
  regexLibrary,
];
