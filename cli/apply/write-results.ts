import {stringifyJson} from '../../engine/json/stringify.js';
import {isObject, own, ownPath} from '../../engine/json/types.js';
import packageJson from '../../package.json' with {type: 'json'};
import type {PreparedPolicy} from '../offline/prepare-policies.js';
import type {PolicyResponse} from '../offline/responses.js';
import {coloursFor} from '../output/colours.js';
import {prettyJson} from '../output/json-text.js';
import {type JunitCase, junitXml} from '../output/junit.js';
import {type SarifResult, sarifLog} from '../output/sarif.js';
import type {Streams} from '../output/streams.js';
import {yamlText} from '../output/yaml-text.js';
import {type Counts, shownStatus, summaryLine} from './counters.js';
import {exceptionsFor} from './exception-output.js';
import type {ApplyFlags} from './flags.js';
import {type JudgedResource, resourcePath} from './judged.js';
import {policyReports} from './report-output.js';
import {invalidText, responseTable, responseText} from './text-output.js';

export type OutputMode = 'sarif' | 'junit' | 'report' | 'exceptions' | 'table' | 'text';

/** The first that is asked for; sarif and junit need no further flag. */
export function outputMode(flags: ApplyFlags): OutputMode {
  if (flags.outputFormat === 'sarif' || flags.outputFormat === 'junit') return flags.outputFormat;
  if (flags.policyReport) return 'report';
  if (flags.generateExceptions) return 'exceptions';
  return flags.table ? 'table' : 'text';
}

/** Objects that policies changed would stand in the way of the output. */
export function isQuiet(mode: OutputMode): boolean {
  return mode !== 'text';
}

export interface ResultsOptions {
  readonly mode: OutputMode;
  readonly flags: ApplyFlags;
  readonly streams: Streams;
  readonly policies: readonly PreparedPolicy[];
  readonly judged: readonly JudgedResource[];
  readonly counts: Counts;
  readonly ttl: bigint;
}

export function writeResults(options: ResultsOptions): void {
  const {mode, flags, streams, policies, judged, counts} = options;
  const auditWarn = flags.auditWarn === true;
  const responses = judged.flatMap(item => item.responses);
  const invalid = invalidText(policies);
  if (mode === 'text' && !flags.stdin) streams.out(invalid);
  else streams.err(invalid);
  switch (mode) {
    case 'sarif':
      streams.out(`${prettyJson(sarifLog(sarifResults(judged, auditWarn), packageJson.version))}\n`);
      return;
    case 'junit':
      streams.out(junitXml(junitCases(responses, auditWarn)));
      return;
    case 'report':
      streams.out(reportText(responses, flags));
      return;
    case 'exceptions':
      for (const exception of exceptionsFor(responses, options.ttl)) streams.out(`---\n${yamlText(exception)}`);
      return;
    case 'table': {
      const colours = coloursFor({
        terminal: streams.terminal,
        remove: flags.removeColor === true,
        environment: process.env,
      });
      streams.out(`\n${responseTable(responses, {auditWarn, detailed: flags.detailedResults === true, colours})}`);
      return;
    }
    case 'text':
      if (flags.stdin) streams.err(`${responseText(responses, auditWarn)}\n${summaryLine(counts)}\n`);
      else streams.out(`${responseText(responses, auditWarn)}\n${summaryLine(counts)}\n`);
  }
}

function reportText(responses: readonly PolicyResponse[], flags: ApplyFlags): string {
  const reports = policyReports(responses, {
    auditWarn: flags.auditWarn === true,
    seconds: Math.floor(Date.now() / 1000),
  });
  if (flags.outputFormat === 'json') return reports.map(report => `${stringifyJson(report)}\n`).join('');
  return reports
    .map((report, index) => `${index > 0 || report['kind'] === 'Report' ? '---\n' : ''}${yamlText(report)}`)
    .join('');
}

function sarifResults(judged: readonly JudgedResource[], auditWarn: boolean): SarifResult[] {
  return judged.flatMap(({source, responses}) =>
    responses.flatMap(response =>
      response.rules.map(
        (rule): SarifResult => ({
          policy: response.policy.key,
          rule: rule.rule,
          status: shownStatus(response, rule, auditWarn),
          message: rule.message,
          resource: resourcePath(response),
          file: source.path === 'stdin' ? '' : source.path,
          line: source.line,
          severity: annotation(response, 'severity'),
          description: annotation(response, 'description'),
        }),
      ),
    ),
  );
}

function annotation({policy}: PolicyResponse, name: string): string | undefined {
  const annotations = ownPath(policy.raw, 'metadata', 'annotations');
  const value = isObject(annotations) ? own(annotations, `policies.kyverno.io/${name}`) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function junitCases(responses: readonly PolicyResponse[], auditWarn: boolean): JunitCase[] {
  return responses.flatMap(response =>
    response.rules.map((rule): JunitCase => {
      const status = shownStatus(response, rule, auditWarn);
      return {
        suite: response.policy.key,
        className: rule.rule,
        name: resourcePath(response),
        outcome: status === 'warn' ? 'pass' : status,
        reason: status,
        message: rule.message,
      };
    }),
  );
}
