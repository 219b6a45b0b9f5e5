export {diffJson} from './diff.js';
export {applyJsonPatch} from './json-patch.js';
export {type MergeSchema, mergeSchemaFor} from './merge-schema.js';
export {parseJsonPatch, readJsonPatch} from './parse-json-patch.js';
export {type StrategicMergeOptions, type StrategicMergeResult, strategicMerge} from './strategic-merge.js';
