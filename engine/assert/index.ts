export {type AssertEnv, type AssertFault, type CompiledAssertion, compileAssertion} from './compile-assertion.js';
