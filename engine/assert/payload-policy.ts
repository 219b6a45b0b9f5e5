import {CompileError, type Diagnostic, EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {child, has, list, objects, text} from '../policy/access.js';
import {at, Faults, shown} from '../policy/faults.js';
import type {LoadResult} from '../policy/model.js';
import type {ObjectShape, Shape} from '../policy/shape.js';
import {readObject} from '../policy/shape.js';
import {type AssertFault, type CompiledAssertion, compileAssertion} from './compile-assertion.js';
import type {Bindings} from './expression.js';
import {compileMessage, type Message} from './message.js';
import type {FunctionEnv} from '../jmespath/types.js';
import {compileValue, type Value} from './value.js';

/** What a rule says of a payload. A rule whose match does not select the payload says nothing. */
export interface PayloadResult {
  readonly rule: string;
  readonly status: 'pass' | 'fail' | 'error';
  readonly message: string;
}

/** A policy on JSON of any kind: rules with assertion trees. Compiled once. */
export interface PayloadPolicy {
  readonly name: string;
  judge(payload: Json, env: FunctionEnv): readonly PayloadResult[];
}

const any: Shape = {type: 'any'};
const string: Shape = {type: 'string'};
const trees: ObjectShape = {type: 'object', fields: {any: {type: 'list', items: any}, all: {type: 'list', items: any}}};
const check: ObjectShape = {type: 'object', fields: {check: any, message: string}};
const checks: ObjectShape = {
  type: 'object',
  fields: {any: {type: 'list', items: check}, all: {type: 'list', items: check}},
};
const rule: ObjectShape = {
  type: 'object',
  fields: {
    name: string,
    context: {type: 'list', items: {type: 'object', fields: {name: string, variable: any}}},
    match: trees,
    exclude: trees,
    assert: checks,
  },
};
const specShape: ObjectShape = {type: 'object', fields: {rules: {type: 'list', items: rule}}};

/** A `json.kyverno.io/v1alpha1` ValidatingPolicy, or every fault with its path. */
export function loadPayloadPolicy(raw: JsonObject): LoadResult<PayloadPolicy> {
  const faults = new Faults();
  const {spec, name} = checkHead(raw, faults);
  const rules: CompiledRule[] = [];
  if (objects(spec, 'rules').length === 0) faults.error('rules-missing', 'spec.rules', 'at least one rule is required');
  objects(spec, 'rules').forEach((item, index) => {
    try {
      rules.push(compileRule(item, at('spec.rules', index), faults));
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      const {code, message, path, ...details} = error.diagnostic;
      faults.error(code, path, message, details);
    }
  });
  const errors: readonly Diagnostic[] = faults.errors;
  const policy: PayloadPolicy = {name, judge: (payload, env) => rules.flatMap(compiled => compiled(payload, env))};
  return {policy: errors.length > 0 ? undefined : policy, errors, warnings: faults.warnings};
}

function checkHead(raw: JsonObject, faults: Faults): {readonly spec: JsonObject; readonly name: string} {
  if (text(raw, 'apiVersion') !== 'json.kyverno.io/v1alpha1') {
    faults.error(
      'api-version',
      'apiVersion',
      `expected json.kyverno.io/v1alpha1, found ${shown(own(raw, 'apiVersion'))}`,
    );
  }
  if (text(raw, 'kind') !== 'ValidatingPolicy')
    faults.error('kind', 'kind', `expected ValidatingPolicy, found ${shown(own(raw, 'kind'))}`);
  const name = text(child(raw, 'metadata'), 'name') ?? '';
  if (name === '') faults.error('name-missing', 'metadata.name', 'name is required');
  return {spec: readObject(own(raw, 'spec'), specShape, 'spec', faults) ?? {}, name};
}

interface Look {
  readonly env: FunctionEnv;
  readonly bindings: Bindings;
}

type CompiledRule = (payload: Json, env: FunctionEnv) => readonly PayloadResult[];

function compileRule(raw: JsonObject, path: string, faults: Faults): CompiledRule {
  const name = text(raw, 'name') ?? '';
  if (name === '') faults.error('rule-name', at(path, 'name'), 'a name is required');
  const assert = child(raw, 'assert');
  if (list(assert, 'any').length === 0 && list(assert, 'all').length === 0) {
    faults.error('assert-missing', at(path, 'assert'), 'at least one check under any or all is required');
  }
  const context = objects(raw, 'context').map((entry, index) =>
    compileVariable(entry, at(at(path, 'context'), index), faults),
  );
  const match = compileTrees(child(raw, 'match'), at(path, 'match'));
  const exclude = compileTrees(child(raw, 'exclude'), at(path, 'exclude'));
  const verdict = compileChecks(assert ?? {}, at(path, 'assert'));
  return (payload, env) => {
    try {
      const look: Look = {env, bindings: bindContext(context, payload, env)};
      if (match !== undefined && !match(payload, look)) return [];
      if (exclude?.(payload, look) === true) return [];
      const problem = verdict(payload, look);
      return [{rule: name, status: problem === undefined ? 'pass' : 'fail', message: problem ?? ''}];
    } catch (error) {
      if (!(error instanceof EvalError)) throw error;
      return [{rule: name, status: 'error', message: error.message}];
    }
  };
}

interface Variable {
  readonly name: string;
  readonly value: Value;
}

function compileVariable(raw: JsonObject, path: string, faults: Faults): Variable {
  const name = text(raw, 'name') ?? '';
  if (!/^\w+$/.test(name))
    faults.error('context-name', at(path, 'name'), 'a name of letters, digits and _ is required');
  return {name, value: compileValue(own(raw, 'variable') ?? null, at(path, 'variable'))};
}

/** Each entry sees the ones before it; all are evaluated when first asked for. */
function bindContext(context: readonly Variable[], payload: Json, env: FunctionEnv): Bindings {
  let bindings: Bindings = name => (name === 'payload' ? payload : undefined);
  for (const {name, value} of context) {
    const before = bindings;
    let known: {readonly value: Json} | undefined;
    bindings = wanted => {
      if (wanted !== name) return before(wanted);
      known ??= {value: value(payload, before, env)};
      return known.value;
    };
  }
  return bindings;
}

type Test = (payload: Json, look: Look) => boolean;

/** `undefined` for a block that is absent or empty: it selects everything (match) or nothing (exclude). */
function compileTrees(block: JsonObject | undefined, path: string): Test | undefined {
  const all = list(block, 'all').map((tree, index) => compileAssertion(tree, `${path}.all[${index}]`));
  const some = list(block, 'any').map((tree, index) => compileAssertion(tree, `${path}.any[${index}]`));
  if (all.length === 0 && some.length === 0) return undefined;
  return (payload, look) => {
    const holds = (tree: CompiledAssertion) => run(tree, payload, look).length === 0;
    return all.every(holds) && (some.length === 0 || some.some(holds));
  };
}

function run(tree: CompiledAssertion, payload: Json, {env, bindings}: Look): readonly AssertFault[] {
  return tree.check(payload, {functions: env, bindings});
}

/** What is wrong with a payload; `undefined` when nothing is. */
type Checks = (payload: Json, look: Look) => string | undefined;

function compileChecks(assert: JsonObject, path: string): Checks {
  const all = objects(assert, 'all').map((item, index) => compileOne(item, `${path}.all[${index}]`));
  const some = objects(assert, 'any').map((item, index) => compileOne(item, `${path}.any[${index}]`));
  return (payload, look) => {
    const failed = all.map(one => one(payload, look)).filter(problem => problem !== undefined);
    const problems = some.map(one => one(payload, look));
    if (problems.length > 0 && problems.every(problem => problem !== undefined)) failed.push(...problems);
    return failed.length === 0 ? undefined : failed.join('; ');
  };
}

function compileOne(raw: JsonObject, path: string): Checks {
  if (!has(raw, 'check') || !isObject(own(raw, 'check'))) {
    throw new CompileError({code: 'check-missing', message: 'a check is required', path: at(path, 'check')});
  }
  const tree = compileAssertion(own(raw, 'check')!, at(path, 'check'));
  const written = text(raw, 'message');
  const message: Message | undefined = written === undefined ? undefined : compileMessage(written, at(path, 'message'));
  return (payload, look) => {
    const faults = run(tree, payload, look);
    if (faults.length === 0) return undefined;
    const found = faults
      .map(fault => (fault.path === '' ? fault.message : `${fault.path}: ${fault.message}`))
      .join('; ');
    return message === undefined ? found : `${message(payload, look.bindings, look.env)}: ${found}`;
  };
}
