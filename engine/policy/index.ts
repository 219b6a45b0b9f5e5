export {loadException} from './load-exception.js';
export {loadClassicPolicy, type LoadOptions} from './load-policy.js';
