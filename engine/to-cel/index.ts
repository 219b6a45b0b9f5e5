export {type Conversion, type Loss, toCel} from './convert.js';
export type {MatchOptions} from './match.js';
