export type * from './ast.js';
export {children} from './children.js';
export {limits} from './limits.js';
export {binaryByName, operators, precedences} from './operators.js';
export {type Parsed, type ParseOptions, parse} from './parse.js';
export {type Position, positionAt} from './position.js';
export {qualifiedName, rootName} from './qualified-name.js';
export {unparse} from './unparse.js';
