import {createNameLookup} from '../../adapters/http/name-lookup.js';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {defaultLimits} from '../../engine/budget.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {RuleRun} from '../../engine/context/rule-run.js';

/** What expressions may use on an author's machine: its clock and its name resolution, and no cluster. */
export function createLocalRun(): RuleRun {
  return new RuleRun({
    loader: createOfflineContextLoader({
      resources: [],
      resourceMap: builtinResourceMap,
      now: Date.now,
      lookup: createNameLookup(),
    }),
    regex: createRegexEngine(),
    limits: {...defaultLimits, bytes: 256 * 1024 * 1024},
    resources: builtinResourceMap,
    operatorNamespace: '',
  });
}
