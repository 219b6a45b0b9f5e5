import {arithmeticFunctions} from './arithmetic.js';
import {collectionFunctions} from './collections.js';
import type {FunctionDefinition} from './define.js';
import {encodingFunctions} from './encoding.js';
import {outsideFunctions} from './outside.js';
import {randomFunctions} from './random.js';
import {regexFunctions} from './regex.js';
import {semverFunctions} from './semver.js';
import {standardFunctions} from './standard.js';
import {stringFunctions} from './strings.js';
import {timeFunctions} from './time.js';
import {x509Functions} from './x509.js';
import {yamlFunctions} from './yaml.js';

/** Every function of the language by name. */
export const functionTable: ReadonlyMap<string, FunctionDefinition> = new Map(
  [
    standardFunctions,
    stringFunctions,
    regexFunctions,
    arithmeticFunctions,
    timeFunctions,
    encodingFunctions,
    yamlFunctions,
    collectionFunctions,
    semverFunctions,
    randomFunctions,
    x509Functions,
    outsideFunctions,
  ]
    .flat()
    .map(definition => [definition.name, definition]),
);
