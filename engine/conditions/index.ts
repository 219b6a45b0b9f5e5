export {compileConditions} from './compile-conditions.js';
export {normalizeOperator, type OperatorName, operatorNames} from './operator-name.js';
export {evaluateOperator} from './operators.js';
export {type RawCondition, type RawConditions, type ReadConditions, readConditions} from './read-conditions.js';
export type {CompiledCondition, CompiledConditions, ConditionsResult, ConditionTree} from './types.js';
