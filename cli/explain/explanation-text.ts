import type {
  ExplainNode,
  FinalResult,
  RuleExplanation,
  RuleOutcome,
  VariableValue,
  Verdict,
} from '../../engine/explain/index.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {Json} from '../../engine/json/types.js';
import {type Colours, noColours} from '../output/colours.js';
import {yamlText} from '../output/yaml-text.js';
import type {Explained} from './types.js';

/** Longer values are cut here; the JSON form has them whole. */
const longest = 160;
const column = 12;

/** What `wanted` is called where it is what came out. */
const shownAs: Partial<Record<ExplainNode['kind'], string>> = {operation: 'value', target: 'becomes'};

const outcomes: Readonly<Record<RuleOutcome, string>> = {
  answered: '',
  'not-matched': 'the rule does not select this object',
  excluded: 'the rule excludes this object',
  'nothing-to-say': 'the rule has nothing to say about this request',
  'after-first-match': 'not asked: an earlier rule decided (applyRules: One)',
  'other-namespace': 'not asked: the policy concerns objects of its own namespace only',
  'not-served': 'not served by this release',
};

/** A decision as an indented tree, verdicts in the first column. Reads the same without colours. */
export function explanationText(explained: Explained, colours: Colours = noColours): string {
  const {policy, resource, operation, rules} = explained;
  const name = (namespace: string, own: string) => (namespace === '' ? own : `${namespace}/${own}`);
  const head = `${policy.kind} ${name(policy.namespace, policy.name)} on ${resource.kind} ${name(resource.namespace, resource.name)} (${operation})`;
  return `${colours.name(head)}\n${rules.map(rule => `\n${ruleText(rule, colours)}`).join('')}`;
}

function ruleText(rule: RuleExplanation, colours: Colours): string {
  const lines: string[] = [];
  const place = rule.path === '' ? '' : `, ${rule.path}`;
  lines.push(`rule ${rule.rule === '' ? '(all)' : rule.rule} (${rule.type}${place})`);
  if (rule.derived !== undefined) {
    lines.push(`  derived for Pod controllers from rule ${rule.derived.from}; it reads:`);
    lines.push(
      ...yamlText(rule.derived.rule)
        .trimEnd()
        .split('\n')
        .map(line => `    | ${line}`),
    );
  }
  const add = (node: ExplainNode | undefined) => {
    if (node !== undefined) lines.push(...nodeLines(node, 0, colours));
  };
  add(rule.match);
  add(rule.exclude);
  if (rule.variables.length > 0)
    lines.push(row('', 0, 'variables', colours), ...new Set(rule.variables.map(value => variableLine(value, colours))));
  add(rule.preconditions);
  if (rule.exceptions.length > 0) {
    lines.push(row('', 0, 'exceptions considered', colours));
    for (const exception of rule.exceptions) lines.push(...nodeLines(exception, 1, colours));
  }
  add(rule.check);
  if (rule.results.length === 0)
    lines.push(`  => no result: ${outcomes[rule.outcome] === '' ? 'nothing was judged' : outcomes[rule.outcome]}`);
  for (const result of rule.results) lines.push(resultLine(result, colours));
  return `${lines.join('\n')}\n`;
}

function nodeLines(node: ExplainNode, depth: number, colours: Colours): string[] {
  const parts = [node.name];
  if (node.at !== undefined && node.at !== '/') parts.push(`at ${node.at}`);
  const shown: string[] = [];
  // A condition reads `key operator value`.
  if (node.kind === 'condition') {
    if (node.got !== undefined || node.wanted !== undefined)
      parts.splice(0, 1, `${short(node.got)} ${node.name} ${short(node.wanted)}`);
  } else {
    if (node.kind === 'expression') {
      if (node.got !== undefined) parts.push(`= ${short(node.got)}`);
    } else if (node.wanted !== undefined) shown.push(`${shownAs[node.kind] ?? 'wanted'} ${short(node.wanted)}`);
    if (node.kind === 'expression') parts[0] = cut(node.name);
    else if (node.got !== undefined) shown.push(`got ${short(node.got)}`);
    else if (node.at !== undefined && node.wanted !== undefined && node.kind === 'pattern') shown.push('got nothing');
  }
  const note =
    node.note === undefined ||
    (node.verdict === 'fail' && node.children !== undefined && node.kind !== 'control' && node.kind !== 'element' && node.kind !== 'expression')
      ? ''
      : ` (${cut(node.note)})`;
  const text = `${parts.join(' ')}${shown.length > 0 ? `: ${shown.join(', ')}` : ''}${note}`;
  return [
    // What is neither true nor false is shown by its value.
    row(node.kind === 'expression' && node.verdict === 'ignored' ? '' : node.verdict, depth, text, colours),
    ...(node.children ?? []).flatMap(child => nodeLines(child, depth + 1, colours)),
  ];
}

function row(verdict: Verdict | '', depth: number, text: string, colours: Colours): string {
  const word = verdict === 'not-reached' ? 'not reached' : verdict;
  return `  ${paint(verdict, colours)(word)}${' '.repeat(Math.max(1, column - word.length))}${'  '.repeat(depth)}${text}`.trimEnd();
}

function paint(verdict: Verdict | '', colours: Colours): (text: string) => string {
  switch (verdict) {
    case 'yes':
    case 'pass':
      return colours.good;
    case 'no':
    case 'skip':
      return colours.doubtful;
    case 'fail':
    case 'error':
      return colours.bad;
    default:
      return text => text;
  }
}

function variableLine({name, source, value, error, unused}: VariableValue, colours: Colours): string {
  const shown = unused ? 'not used' : error !== undefined ? `error: ${cut(error)}` : short(value);
  return row('', 1, source === 'context' ? `${name} = ${shown}` : `{{ ${name} }} = ${shown}`, colours);
}

function resultLine({status, message, action, exceptions}: FinalResult, colours: Colours): string {
  const freed = exceptions === undefined ? '' : ` [exceptions: ${exceptions.join(', ')}]`;
  return `  => ${paint(status as Verdict, colours)(status)} (${action}): ${message}${freed}`;
}

function short(value: Json | undefined): string {
  return value === undefined ? '(no value)' : cut(stringifyJson(value));
}

function cut(text: string): string {
  const line = text.replaceAll('\n', '\\n');
  return line.length <= longest ? line : `${line.slice(0, longest)}…`;
}
