import type {ReportResult} from './report-result.js';

/** Who found a result, without what was found. */
export interface Who {
  readonly source: string;
  readonly policy: string;
  readonly rule: string;
  readonly process: string | undefined;
}

/** Ten thousand reports name few policies: equal ones are one object. */
const mostKnown = 20_000;
const known = new Map<string, Who>();

export function whoOf({source, policy, rule, properties}: Pick<ReportResult, 'source' | 'policy' | 'rule' | 'properties'>): Who {
  const {process} = properties;
  const key = `${source}\n${policy}\n${rule}\n${process ?? ''}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= mostKnown) known.clear();
  const who: Who = {source, policy, rule, process};
  known.set(key, who);
  return who;
}
