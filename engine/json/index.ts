export {deepClone, deepFreeze, shallowCopy} from './clone.js';
export {deepEqual, numbersEqual} from './equal.js';
export {parseJson, parseJsonBytes} from './parse.js';
export {maxDepth} from './scan.js';
export {type StringifyOptions, stringifyJson} from './stringify.js';
