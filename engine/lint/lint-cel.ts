import type {CompiledCelPolicy} from '../cel-policies/types.js';
import type {Program} from '../cel/environment.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import type {Finding, Severity} from './types.js';

/** Cost units of one expression at which the API server and this project give up. */
const costLimit = 1_000_000;

/** What the linter finds by itself in policies written in CEL. */
export const celCatalogue: ReadonlyArray<{
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly hint: string;
}> = [
  {
    id: 'cel-constant',
    severity: 'warning',
    summary: 'an expression gives the same for every object',
    hint: 'read something of object, oldObject or request',
  },
  {
    id: 'cel-cost',
    severity: 'info',
    summary: 'what one evaluation of all expressions costs, as far as that is known before',
    hint: `an expression ends with an error at ${costLimit} units`,
  },
  {
    id: 'cel-unused-variable',
    severity: 'warning',
    summary: 'no expression reads a variable',
    hint: 'take it away, or read it as variables.<name>',
  },
];

/** What is doubtful about a policy that compiles, and what it costs. */
export function celDoubts(policy: CompiledCelPolicy): Finding[] {
  const [variant] = policy.variants;
  if (variant === undefined) return [];
  const findings: Finding[] = [];
  const expressions = expressionsOf(own(policy.source.raw, 'spec') ?? null, 'spec').flatMap(({path, text}) => {
    const {program} = variant.environment.compile(text);
    return program === undefined ? [] : [{path, text, program}];
  });
  findings.push(...unusedVariables(policy, expressions.map(({program}) => program)));
  for (const {path, program} of expressions) {
    if (!/^spec\.(?:validations|matchConditions|conditions)\[\d+\]\.expression$/.test(path)) continue;
    if (program.variables.size === 0 && program.functions.size === 0 && program.type.kind === 'bool')
      findings.push(doubt('cel-constant', path, `the expression is the same for every object: ${program.source.trim()}`));
  }
  findings.push(doubt('cel-cost', 'spec', costText(policy)));
  return findings;
}

function doubt(id: string, path: string, message: string): Finding {
  const {severity, hint} = celCatalogue.find(entry => entry.id === id)!;
  return {id, severity, message, hint, path, rule: ''};
}

function unusedVariables({source}: CompiledCelPolicy, programs: readonly Program[]): Finding[] {
  if (!('variables' in source.spec)) return [];
  const read = new Set(programs.flatMap(({paths}) => [...(paths.get('variables') ?? [])].map(path => path.split('.')[0]!)));
  // As a whole, as in `variables[name]`: any may be meant.
  if (read.has('') || programs.some(({variables, paths}) => variables.has('variables') && !paths.has('variables'))) return [];
  const templates = templatesOf(source.raw);
  return source.spec.variables.flatMap(({name}, index) => {
    if (read.has(name) || templates.some(text => text.includes(`variables.${name}`))) return [];
    return [doubt('cel-unused-variable', `spec.variables[${index}]`, `no expression reads variables.${name}`)];
  });
}

function templatesOf(raw: JsonObject): string[] {
  const spec = own(raw, 'spec');
  const generate = isObject(spec) ? own(spec, 'generate') : undefined;
  if (!Array.isArray(generate)) return [];
  return generate.flatMap(entry => {
    const template = isObject(entry) ? own(entry, 'template') : undefined;
    const value = isObject(template) ? own(template, 'value') : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}

function costText({cost}: CompiledCelPolicy): string {
  const most = Number.isFinite(cost.max) ? `at most ${cost.max}` : 'at most what the sizes of lists and texts make of it';
  return `one evaluation of all expressions costs at least ${cost.min} units, ${most}`;
}

const expressionFields = new Set(['expression', 'messageExpression', 'valueExpression']);

function expressionsOf(json: Json, path: string): ReadonlyArray<{readonly path: string; readonly text: string}> {
  if (Array.isArray(json)) return json.flatMap((item, index) => expressionsOf(item, `${path}[${index}]`));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([key, item]) =>
    expressionFields.has(key) && typeof item === 'string'
      ? [{path: `${path}.${key}`, text: item}]
      : expressionsOf(item, `${path}.${key}`),
  );
}
