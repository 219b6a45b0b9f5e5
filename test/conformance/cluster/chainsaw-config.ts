import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {parse} from 'yaml';

const timeouts = ['apply', 'assert', 'cleanup', 'delete', 'error', 'exec'] as const;
type Timeout = (typeof timeouts)[number];

/** What a suite's nearest `.chainsaw.yaml` says, as far as it shapes a run here. */
export interface SuiteSettings {
  /** In seconds; what the file leaves out is chainsaw's own default. */
  readonly timeouts: Readonly<Record<Timeout, number>>;
  readonly templating: boolean;
}

const defaults: SuiteSettings['timeouts'] = {apply: 5, assert: 30, cleanup: 30, delete: 15, error: 30, exec: 5};

interface ConfigurationFile {
  readonly spec?: {
    readonly timeouts?: Partial<Record<Timeout, string>>;
    readonly templating?: {readonly enabled?: boolean};
  };
}

/** Reads the `.chainsaw.yaml` of the suite's folder or of the nearest folder above it, not above `top`. */
export async function suiteSettings(top: string, folder: string): Promise<SuiteSettings> {
  for (let place = folder; place.startsWith(top); place = dirname(place)) {
    const file = join(place, '.chainsaw.yaml');
    if (existsSync(file)) return settingsIn(parse(await readFile(file, 'utf8')) as ConfigurationFile);
  }
  return {timeouts: defaults, templating: true};
}

function settingsIn({spec = {}}: ConfigurationFile): SuiteSettings {
  const entries = timeouts.map(name => {
    const text = spec.timeouts?.[name];
    return [name, text === undefined ? defaults[name] : seconds(text)] as const;
  });
  return {
    timeouts: Object.fromEntries(entries) as Record<Timeout, number>,
    templating: spec.templating?.enabled ?? true,
  };
}

/** Seconds of a duration such as `1m30s`. */
export function seconds(text: string): number {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (match === null || text === '') throw new Error(`no duration: ${text}`);
  const [hours = 0, minutes = 0, rest = 0] = match.slice(1).map(part => Number(part ?? 0));
  return hours * 3600 + minutes * 60 + rest;
}

/**
 * A configuration for chainsaw 0.2.12, which refuses newer fields of the suites' own files. Objects are left behind: the
 * clean-up between suites is faster and finds what a suite made by other means too. A first attempt is held to `patience`
 * seconds for each assertion.
 */
export function chainsawConfig(settings: SuiteSettings, report: string, patience: number): string {
  const {timeouts: own, templating} = settings;
  const capped = {
    ...own,
    assert: Math.min(own.assert, patience),
    error: Math.min(own.error, patience),
    // Everything runs on one machine beside the control plane.
    apply: Math.max(own.apply, 10),
    exec: Math.max(own.exec, 15),
  };
  return JSON.stringify({
    apiVersion: 'chainsaw.kyverno.io/v1alpha2',
    kind: 'Configuration',
    metadata: {name: 'configuration'},
    spec: {
      cleanup: {skipDelete: true},
      discovery: {fullName: true},
      execution: {failFast: true, parallel: 1, forceTerminationGracePeriod: '1s'},
      report: {format: 'JSON', path: dirname(report), name: 'report'},
      templating: {enabled: templating},
      timeouts: Object.fromEntries(Object.entries(capped).map(([name, value]) => [name, `${value}s`])),
    },
  });
}
