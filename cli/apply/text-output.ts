import {formatDiagnostic} from '../../engine/diagnostic.js';
import {isRuleless} from '../files/policy-kinds.js';
import type {PreparedPolicy} from '../offline/prepare-policies.js';
import type {PolicyResponse, RuleResponse} from '../offline/responses.js';
import {type Colours, noColours} from '../output/colours.js';
import {type Cell, drawTable} from '../output/table.js';
import {shownStatus} from './counters.js';
import {resourcePath} from './judged.js';

/** What went wrong, one block per policy and resource. */
export function responseText(responses: readonly PolicyResponse[], auditWarn: boolean): string {
  return responses.map(response => blocks(response, auditWarn)).join('');
}

function blocks(response: PolicyResponse, auditWarn: boolean): string {
  const {policy, phase, rules} = response;
  const where = resourcePath(response);
  if (phase === 'mutate' || phase === 'generate') {
    const broken = rules.filter(rule => rule.status === 'error' || rule.status === 'fail');
    if (broken.length > 0) {
      const lines = broken.map(rule => `error: ${rule.message}\n`).join('');
      return `error while applying ${phase} policy ${policy.key} -> resource ${where}\n${lines}`;
    }
    const skipped = rules.length > 0 && rules.every(rule => rule.status === 'skip');
    return skipped ? `skipped ${phase} policy ${policy.key} -> resource ${where}\n` : '';
  }
  const failed = rules.filter(rule => rule.status === 'fail');
  const errors = rules.filter(rule => rule.status === 'error');
  const warned = failed.length > 0 && failed.every(rule => shownStatus(response, rule, auditWarn) === 'warn');
  const how = warned && auditWarn ? 'failed as audit warning:' : 'failed:';
  return (
    (failed.length > 0 ? `policy ${policy.key} -> resource ${where} ${how}\n${numbered(response, failed)}` : '') +
    (errors.length > 0 ? `policy ${policy.key} -> resource ${where} error:\n${numbered(response, errors)}` : '')
  );
}

function numbered({policy}: PolicyResponse, rules: readonly RuleResponse[]): string {
  return rules
    .map(
      (rule, index) =>
        `${index + 1} - ${rule.rule === '' ? policy.name : rule.rule} ${rule.message || 'validation failed'}\n`,
    )
    .join('');
}

const ruler = `${'-'.repeat(70)}\n`;

/** Policies that were left out, in two blocks as users know them. */
export function invalidText(policies: readonly PreparedPolicy[]): string {
  const lines = policies
    .filter(policy => policy.invalid.length > 0)
    .map(policy => ({name: policy.key, reason: policy.invalid.map(formatDiagnostic).join('; ')}));
  const block = (title: string, items: typeof lines) =>
    items.length === 0
      ? ''
      : `${ruler}${title}\n${items.map((item, index) => `${index + 1}. ${item.name}: ${item.reason}\n`).join('')}${ruler}`;
  const isElement = ({reason}: {reason: string}) => reason.startsWith("variable 'element.name'");
  return (
    block('Invalid Policies:', lines.filter(isElement)) +
    block(
      'Policies Skipped:',
      lines.filter(item => !isElement(item)),
    )
  );
}

export interface TableOptions {
  readonly auditWarn: boolean;
  readonly detailed: boolean;
  readonly colours?: Colours;
}

const titles = {pass: 'Pass', fail: 'Fail', warn: 'Warn', error: 'Error', skip: 'Skip'} as const;

export function responseTable(responses: readonly PolicyResponse[], options: TableOptions): string {
  const colours = options.colours ?? noColours;
  const paint = {
    pass: colours.good,
    fail: colours.bad,
    warn: colours.doubtful,
    error: colours.bad,
    skip: colours.doubtful,
  };
  const rows: Cell[][] = [];
  for (const response of responses) {
    for (const rule of response.rules) {
      const status = shownStatus(response, rule, options.auditWarn);
      rows.push([
        {text: String(rows.length + 1)},
        {text: response.policy.key, paint: colours.name},
        {text: isRuleless(response.policy.family) ? '' : rule.rule, paint: colours.name},
        {text: resourcePath(response), paint: colours.name},
        {text: titles[status], paint: paint[status]},
        {text: ''},
        ...(options.detailed ? [{text: rule.message}] : []),
      ]);
    }
  }
  const headers = ['ID', 'POLICY', 'RULE', 'RESOURCE', 'RESULT', 'REASON', ...(options.detailed ? ['MESSAGE'] : [])];
  return drawTable(headers, rows, colours);
}
