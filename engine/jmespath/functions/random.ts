import {randomOfPattern} from '../../random/random-of-pattern.js';
import {define, type FunctionDefinition} from './define.js';

export const randomFunctions: readonly FunctionDefinition[] = [
  define('random', ['string'], ([pattern], env) => randomOfPattern(pattern, env)),
];
