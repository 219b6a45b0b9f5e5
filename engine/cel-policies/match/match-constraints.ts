import type {RuleRun} from '../../context/rule-run.js';
import type {EngineRequest} from '../../types.js';

/** Whether a policy's constraints select a request. Throws EvalError for a selector that cannot be judged, Suspend to wait. */
export type ConstraintMatcher = (request: EngineRequest, run: RuleRun) => boolean;
