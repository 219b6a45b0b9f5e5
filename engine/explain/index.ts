export {type ExplainOptions, explainPolicy} from './explain-policy.js';
export {type ExplainCelOptions, explainCelPolicy} from './explain-cel.js';
export {masked} from './mask.js';
export type * from './types.js';
export {type CoveragePoint, coveragePoints, type PointKind, reachedPoints} from './coverage.js';
