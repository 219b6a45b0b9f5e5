export {check} from './check.js';
export type {Checked, Reference, ResolvedCall} from './checked.js';
export {type CheckOptions, createScope, extendScope, type Scope, type ScopeInput} from './scope.js';
