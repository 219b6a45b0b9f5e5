export {parseYaml, parseYamlDocuments} from './parse.js';
export {type YamlDocument, type YamlDuplicate, YamlError, type YamlOptions, type YamlProblem} from './types.js';
