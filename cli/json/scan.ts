import {loadPayloadPolicy, type PayloadPolicy, type PayloadResult} from '../../engine/assert/payload-policy.js';
import {CompileError, EvalError, formatDiagnostic} from '../../engine/diagnostic.js';
import {compileQuery} from '../../engine/jmespath/index.js';
import {isObject, type Json, type JsonObject, own} from '../../engine/json/types.js';
import {readDocuments, readText, takeApart} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import {findYamlFiles} from '../files/find-files.js';
import {nameOf} from '../files/load-policies.js';
import {policyFamily} from '../files/policy-kinds.js';
import {createLocalRun} from '../jp/local-env.js';
import {prettyJson} from '../output/json-text.js';
import type {Streams} from '../output/streams.js';
import {yamlText} from '../output/yaml-text.js';

export interface ScanOptions {
  /** JSON or YAML; each document, and each element of a list, is judged by itself. */
  readonly payload: readonly string[];
  /** Files or folders. */
  readonly policy: readonly string[];
  /** Expressions that the payload goes through first. */
  readonly preProcess: readonly string[];
  readonly output: string;
}

interface Row extends PayloadResult {
  readonly policy: string;
  readonly payload: string;
}

/** `kyverno json scan`. The exit code: 1 when a rule fails or cannot be judged. */
export async function scan(options: ScanOptions, streams: Streams): Promise<number> {
  if (!['text', 'json', 'yaml'].includes(options.output)) {
    throw new FileError(`invalid output format ${JSON.stringify(options.output)}, expected text, json or yaml`);
  }
  const policies: PayloadPolicy[] = [];
  for (const path of options.policy) policies.push(...(await loadPolicies(path)));
  if (policies.length === 0) throw new FileError('no policies found');
  const rows: Row[] = [];
  for (const path of options.payload) {
    for (const {name, value} of await loadPayloads(path, options.preProcess)) {
      for (const policy of policies) rows.push(...(await judge(policy, name, value)));
    }
  }
  streams.out(format(rows, options.output));
  return rows.every(row => row.status === 'pass') ? 0 : 1;
}

async function judge(policy: PayloadPolicy, payload: string, value: Json): Promise<readonly Row[]> {
  const run = createLocalRun();
  const results = await run.complete(() => policy.judge(value, run));
  return results.map(result => ({policy: policy.name, payload, ...result}));
}

async function loadPolicies(path: string): Promise<readonly PayloadPolicy[]> {
  const policies: PayloadPolicy[] = [];
  for (const file of await findYamlFiles(path)) {
    for (const document of readDocuments(await readText(file), file)) {
      for (const value of takeApart(document.value, `${file}:${document.line}`)) {
        if (!isObject(value)) throw new FileError(`${file}:${document.line}: not an object`);
        policies.push(loadOne(value, `${file}:${document.line}`));
      }
    }
  }
  return policies;
}

function loadOne(raw: JsonObject, at: string): PayloadPolicy {
  const group = String(own(raw, 'apiVersion') ?? '').split('/')[0];
  if (group !== 'json.kyverno.io') throw new FileError(`${at}: ${cannotJudge(raw)}`);
  const {policy, errors} = loadPayloadPolicy(raw);
  if (policy === undefined) throw new FileError(`${at}: ${errors.map(formatDiagnostic).join('; ')}`);
  return policy;
}

/** Which policies judge what, in words that lead on. */
function cannotJudge(raw: JsonObject): string {
  const what = `${String(own(raw, 'kind') ?? 'an object without kind')} ${nameOf(raw)}`.trim();
  const wanted =
    'a ValidatingPolicy of json.kyverno.io/v1alpha1, whose rules are assertion trees, judges JSON payloads';
  switch (policyFamily(raw)) {
    case 'classic':
      return `${what} judges Kubernetes objects by their kind, which a payload does not have; ${wanted}`;
    case 'cel':
      return `${what} is written in CEL, which this release does not serve; ${wanted}`;
    default:
      return `${what} is no policy for payloads; ${wanted}`;
  }
}

interface Payload {
  readonly name: string;
  readonly value: Json;
}

async function loadPayloads(path: string, preProcess: readonly string[]): Promise<readonly Payload[]> {
  const documents = readDocuments(await readText(path), path);
  const payloads: Payload[] = [];
  for (const [index, document] of documents.entries()) {
    const name = documents.length === 1 ? path : `${path}#${index}`;
    let value = document.value;
    for (const expression of preProcess) value = await applyTo(value, expression);
    if (Array.isArray(value)) payloads.push(...value.map((item, place) => ({name: `${name}[${place}]`, value: item})));
    else payloads.push({name, value});
  }
  return payloads;
}

async function applyTo(value: Json, expression: string): Promise<Json> {
  try {
    const query = compileQuery(expression);
    const run = createLocalRun();
    return await run.complete(() => query.evaluate(value, run));
  } catch (error) {
    if (error instanceof CompileError || error instanceof EvalError)
      throw new FileError(`--pre-process ${expression}: ${error.message}`);
    throw error;
  }
}

function format(rows: readonly Row[], output: string): string {
  const list = rows.map(
    ({policy, rule, payload, status, message}): JsonObject => ({
      policy,
      rule,
      payload,
      result: status,
      ...(message !== '' && {message}),
    }),
  );
  if (output === 'json') return `${prettyJson(list)}\n`;
  if (output === 'yaml') return yamlText(list);
  const lines = rows.map(
    row =>
      `- ${row.policy} / ${row.rule} / ${row.payload} ${words[row.status]}${row.message === '' ? '' : `: ${row.message}`}\n`,
  );
  return `${lines.join('')}${summary(rows)}\n`;
}

const words = {pass: 'PASSED', fail: 'FAILED', error: 'ERROR'} as const;

function summary(rows: readonly Row[]): string {
  const count = (status: Row['status']) => rows.filter(row => row.status === status).length;
  return `pass: ${count('pass')}, fail: ${count('fail')}, error: ${count('error')}`;
}
