export {lintCatalogue, lintPolicy} from './lint-policy.js';
export type {Finding, LintOptions, Severity} from './types.js';
