import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {Json} from '../../engine/json/types.js';
import {type Finding, lintPolicy, type Severity} from '../../engine/lint/index.js';
import {FileError} from '../files/file-error.js';
import {loadPolicyPath, mergeLoads, nameOf} from '../files/load-policies.js';
import {loadResourcePaths} from '../files/load-resources.js';
import {withKindsOf} from '../offline/known-kinds.js';
import {type Colours, coloursFor} from '../output/colours.js';
import {prettyJson} from '../output/json-text.js';
import type {Streams} from '../output/streams.js';
import {lintCel} from './lint-cel.js';
import {lintSarif} from './lint-sarif.js';

export interface LintFlags {
  readonly output: string;
  readonly failOn: string;
  readonly resource?: readonly string[];
  /** Ids that are left out. */
  readonly ignore?: readonly string[];
  readonly removeColor?: boolean;
}

/** A finding and where its policy stands. */
export interface PlacedFinding extends Finding {
  readonly policy: string;
  readonly file: string;
  /** 1-based, where the policy's document begins. */
  readonly line: number;
}

const levels: readonly Severity[] = ['info', 'warning', 'error'];
const formats = ['text', 'json', 'sarif'];

/** `kyverno lint`: 1 when there is a finding of the severity of `--fail-on` or a graver one. */
export async function runLint(
  paths: readonly string[],
  flags: LintFlags,
  {streams, version}: {readonly streams: Streams; readonly version: string},
): Promise<number> {
  const failFrom = flags.failOn === 'never' ? levels.length : levels.indexOf(flags.failOn as Severity);
  if (failFrom === -1) throw new FileError(`--fail-on: expected error, warning, info or never, found ${flags.failOn}`);
  if (!formats.includes(flags.output))
    throw new FileError(`--output: expected ${formats.join(', ')}, found ${flags.output}`);
  const {findings, policies} = await lintFiles(paths, flags, text => streams.err(`Warning: ${text}\n`));
  if (flags.output === 'json') streams.out(`${prettyJson({findings} as unknown as Json)}\n`);
  else if (flags.output === 'sarif') streams.out(`${prettyJson(lintSarif(findings, version))}\n`);
  else {
    const colours = coloursFor({
      terminal: streams.terminal,
      remove: flags.removeColor === true,
      environment: process.env,
    });
    streams.out(lintText(findings, policies, colours));
  }
  return findings.some(({severity}) => levels.indexOf(severity) >= failFrom) ? 1 : 0;
}

async function lintFiles(paths: readonly string[], flags: LintFlags, warn: (text: string) => void) {
  const load = mergeLoads(await Promise.all(paths.map(path => loadPolicyPath(path, builtinResourceMap))));
  for (const text of load.warnings) warn(text);
  for (const {path, message} of load.skipped) warn(`${path}: ${message}`);
  const samples = (await loadResourcePaths(flags.resource ?? [], {resources: builtinResourceMap})).map(
    ({object}) => object,
  );
  const resources = withKindsOf(
    builtinResourceMap,
    samples,
    load.documents.map(({raw}) => raw),
  );
  const loader = createOfflineContextLoader({resources: samples, resourceMap: resources, now: Date.now});
  const options = {resources, samples, loader, regex: createRegexEngine()};
  const findings: PlacedFinding[] = [];
  let policies = 0;
  const bindings = load.documents.filter(({family}) => family === 'binding').map(({raw}) => raw);
  for (const document of load.documents) {
    const {raw, family, path, line} = document;
    // A binding is looked at with its policy.
    if (family === 'binding') continue;
    const found = family === 'classic' ? await lintPolicy(raw, options) : lintCel(document, {resources, bindings});
    if (found === undefined) {
      warn(`${path}:${line}: ${String(raw['kind'])} is not looked at`);
      continue;
    }
    policies += 1;
    for (const finding of found) {
      if (!flags.ignore?.includes(finding.id)) findings.push({...finding, policy: nameOf(raw), file: path, line});
    }
  }
  if (policies === 0) throw new FileError('no policy found');
  return {findings, policies};
}

function lintText(findings: readonly PlacedFinding[], policies: number, colours: Colours): string {
  const paint = {error: colours.bad, warning: colours.doubtful, info: (text: string) => text};
  const lines: string[] = [];
  let head = '';
  for (const {file, line, policy, rule, severity, id, message, hint, path} of findings) {
    const place = `${file}:${line} ${policy}`;
    if (place !== head) lines.push(...(head === '' ? [] : ['']), colours.name(place));
    head = place;
    const where = [rule === '' ? '' : `rule ${rule}`, path].filter(part => part !== '').join(', ');
    lines.push(`  ${paint[severity](severity)}${' '.repeat(8 - severity.length)}${id}: ${message}`);
    if (where !== '') lines.push(`          at ${where}`);
    if (hint !== '') lines.push(`          hint: ${hint}`);
  }
  const count = (severity: Severity) => findings.filter(finding => finding.severity === severity).length;
  lines.push(
    ...(findings.length === 0 ? [] : ['']),
    `${policies} ${policies === 1 ? 'policy' : 'policies'}: ${count('error')} errors, ${count('warning')} warnings, ${count('info')} notes`,
  );
  return `${lines.join('\n')}\n`;
}
