export {celCatalogue, celDoubts} from './lint-cel.js';
export {lintCatalogue, lintPolicy} from './lint-policy.js';
export type {Finding, LintOptions, Severity} from './types.js';
