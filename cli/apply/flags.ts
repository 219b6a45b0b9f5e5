import {parseDuration} from '../../engine/values/duration.js';
import {FileError} from '../files/file-error.js';
import type {KeyServiceFlags} from '../offline/key-services.js';

export interface ApplyFlags extends KeyServiceFlags {
  readonly resource?: readonly string[];
  readonly json?: readonly string[];
  readonly httpPayload?: readonly string[];
  readonly envoyPayload?: readonly string[];
  readonly targetResource?: readonly string[];
  readonly parameterResource?: readonly string[];
  readonly cluster?: boolean;
  readonly namespace?: string;
  readonly clusterWideResources?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly concurrent?: number;
  readonly batchSize?: number;
  readonly continueOnError?: boolean;
  readonly showPerformance?: boolean;
  readonly output?: string;
  readonly userinfo?: string;
  readonly set?: readonly string[];
  readonly valuesFile?: string;
  readonly contextFile?: string;
  readonly policyReport?: boolean;
  readonly outputFormat?: string;
  readonly stdin?: boolean;
  readonly registry?: boolean;
  readonly gitBranch?: string;
  readonly username?: string;
  readonly password?: string;
  readonly auditWarn?: boolean;
  readonly warnExitCode?: number;
  readonly warnNoPass?: boolean;
  readonly table?: boolean;
  readonly detailedResults?: boolean;
  readonly removeColor?: boolean;
  readonly exception?: readonly string[];
  readonly exceptionsWithinResources?: boolean;
  readonly exceptionsWithinPolicies?: boolean;
  readonly generateExceptions?: boolean;
  readonly generatedExceptionTtl?: string;
  readonly continueOnFail?: boolean;
  readonly crdPaths?: readonly string[];
  readonly warningsAsErrors?: boolean;
}

/** Throws `FileError` for the first thing that does not fit together. */
export function checkFlags(policies: readonly string[], flags: ApplyFlags): void {
  const resources = flags.resource ?? [];
  if (flags.valuesFile && (flags.set ?? []).length > 0) {
    throw new FileError('pass the values either using set flag or values_file flag');
  }
  if (policies.length === 0) throw new FileError('require policy');
  if (policies.includes('-') && resources.includes('-')) {
    throw new FileError('a stdin pipe can be used for either policies or resources, not both');
  }
  const payloads = flags.json ?? [];
  if (resources.length > 0 && payloads.length > 0) {
    throw new FileError('both resource and json files can not be used together, use one or the other');
  }
  const given = [resources, payloads, flags.httpPayload ?? [], flags.envoyPayload ?? []].some(list => list.length > 0);
  if (!given && !flags.cluster) throw new FileError('resource file(s) or cluster required');
  if (crdPathsOf(flags).length > 0 && flags.kubeconfig) {
    throw new FileError('crd-paths and kubeconfig are mutually exclusive, use one or the other');
  }
  if (ttlOf(flags) === undefined) {
    throw new FileError(`invalid duration ${JSON.stringify(flags.generatedExceptionTtl)} for generated-exception-ttl`);
  }
}

export function crdPathsOf(flags: ApplyFlags): readonly string[] {
  return (flags.crdPaths ?? []).map(path => path.trim()).filter(path => path !== '');
}

/** Nanoseconds; `undefined` for a text that is no duration. */
export function ttlOf(flags: ApplyFlags): bigint | undefined {
  return parseDuration(flags.generatedExceptionTtl ?? '720h');
}

/** `key=value` entries; what is not of that form or would change the object is ignored, the first of equal keys stands. */
export function parseSet(entries: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const entry of entries) {
    const [key = '', value = '', ...more] = entry.split('=').map(side => side.trim());
    if (key === '' || value === '' || more.length > 0 || key.includes('request.object.') || values.has(key)) continue;
    values.set(key, value);
  }
  return values;
}
