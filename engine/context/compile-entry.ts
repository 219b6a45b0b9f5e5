import type {ApiCallRequest} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import {jsonSize} from '../json/size.js';
import {type Json, type JsonObject, setOwn} from '../json/types.js';
import {stringifyJson} from '../json/stringify.js';
import {child} from '../policy/access.js';
import type {ContextEntry} from '../policy/model.js';
import {readAccess} from '../verify-images/read-entry.js';
import {compileLateQuery} from '../variables/late-query.js';
import {compileTemplate, type TemplateScope} from '../variables/template.js';
import type {Template} from '../variables/types.js';
import type {RuleScope} from './rule-scope.js';

/** One context entry, ready to be evaluated when first used. */
export interface CompiledEntry {
  readonly name: string;
  /** First segment of the name: the key it is found under. */
  readonly root: string;
  /** Joined with what an earlier entry (or a builtin) has under the same root. */
  readonly merges: boolean;
  readonly type: ContextEntry['type'];
  evaluate(scope: RuleScope): Json;
}

type Loader = (scope: RuleScope) => Json;

/** Compiles entries in order; `path` is that of the list (`spec.rules[0].context`). */
export function compileEntries(entries: readonly ContextEntry[], path: string): CompiledEntry[] {
  return entries.map((entry, index) => compileEntry(entry, `${path}[${index}]`));
}

function compileEntry(entry: ContextEntry, path: string): CompiledEntry {
  const load = loaderOf(entry, path);
  const [root = entry.name, ...below] = entry.name.split('.');
  return {
    name: entry.name,
    root,
    merges: entry.type !== 'variable' || below.length > 0,
    type: entry.type,
    evaluate(scope) {
      const value = load(scope);
      scope.env.budget.bytes(jsonSize(value, scope.env.budget));
      return below.reduceRight<Json>((inner, key) => {
        const outer: JsonObject = {};
        setOwn(outer, key, inner);
        return outer;
      }, value);
    },
  };
}

function loaderOf(entry: ContextEntry, path: string): Loader {
  switch (entry.type) {
    case 'variable':
      return variable(entry, path);
    case 'configMap':
      return configMap(entry, path);
    case 'apiCall':
      return apiCall(entry, path);
    case 'globalReference':
      return globalReference(entry, path);
    case 'imageRegistry':
      return imageRegistry(entry, path);
  }
}

type Entry<T extends ContextEntry['type']> = Extract<ContextEntry, {type: T}>;

/** value → optional jmesPath over it; without a value jmesPath queries the whole context. */
function variable(entry: Entry<'variable'>, path: string): Loader {
  const value = entry.value === undefined ? undefined : compileTemplate(entry.value, `${path}.variable.value`);
  const query = entry.jmesPath === undefined ? undefined : compileText(entry.jmesPath, `${path}.variable.jmesPath`);
  const fallback = entry.default === undefined ? undefined : compileTemplate(entry.default, `${path}.variable.default`);
  return scope => {
    let result: Json;
    try {
      if (value === undefined) {
        result = query === undefined ? null : compileLateQuery(query(scope)).evaluate(scope.root, scope.env);
        if (result === null && fallback !== undefined) result = fallback.evaluate(scope);
      } else {
        const source = value.evaluate(scope);
        result = query === undefined ? source : compileLateQuery(query(scope)).evaluate(source, scope.env);
      }
    } catch (error) {
      if (!(error instanceof EvalError) || error.code === 'budget') throw error;
      if (fallback === undefined) {
        throw new EvalError(`failed to load context: failed to add context entry for variable ${entry.name}: ${error.message}`);
      }
      result = fallback.evaluate(scope);
    }
    if (result === null) {
      throw new EvalError(
        `failed to load context: failed to add context entry for variable ${entry.name} since it evaluated to nil`,
      );
    }
    return result;
  };
}

function configMap(entry: Entry<'configMap'>, path: string): Loader {
  const name = compileText(entry.configMapName, `${path}.configMap.name`);
  const namespace = compileText(entry.configMapNamespace, `${path}.configMap.namespace`);
  return scope =>
    named(entry.name, () => {
      const where = namespace(scope);
      const which = name(scope);
      const value = scope.env.settle(`configMap:${where}/${which}`, options => scope.env.loader.configMap(where, which, options));
      if (value === undefined) throw new EvalError(`failed to get configmap ${where}/${which}: not found`);
      return value;
    });
}

function apiCall(entry: Entry<'apiCall'>, path: string): Loader {
  const at = `${path}.apiCall`;
  const urlPath = entry.urlPath === undefined ? undefined : compileText(entry.urlPath, `${at}.urlPath`);
  const data = entry.data.map((item, index) => ({key: item.key, value: compileTemplate(item.value, `${at}.data[${index}].value`)}));
  const service = entry.service;
  const url = service === undefined ? undefined : compileText(service.url, `${at}.service.url`);
  const caBundle = service?.caBundle === undefined ? undefined : compileText(service.caBundle, `${at}.service.caBundle`);
  const headers = (service?.headers ?? []).map((header, index) => ({
    key: header.key,
    value: compileText(header.value, `${at}.service.headers[${index}].value`),
  }));
  const query = entry.jmesPath === undefined ? undefined : compileText(entry.jmesPath, `${at}.jmesPath`);
  const fallback = entry.default === undefined ? undefined : compileTemplate(entry.default, `${at}.default`);
  return scope =>
    named(entry.name, () => {
      const body: JsonObject = {};
      for (const item of data) setOwn(body, item.key, item.value.evaluate(scope));
      const bundle = caBundle?.(scope);
      const request: ApiCallRequest = {
        method: entry.method,
        ...(urlPath !== undefined && {urlPath: urlPath(scope)}),
        ...(data.length > 0 && {data: body}),
        ...(url !== undefined && {
          service: {
            url: url(scope),
            headers: headers.map(header => [header.key, header.value(scope)] as const),
            ...(bundle !== undefined && {caBundle: bundle}),
          },
        }),
      };
      const key = `apiCall:${stringifyJson(request as unknown as Json)}`;
      let result: Json;
      try {
        result = scope.env.settle(key, options => scope.env.loader.apiCall(request, options));
      } catch (error) {
        if (!(error instanceof EvalError) || error.code === 'budget' || fallback === undefined) throw error;
        return fallback.evaluate(scope);
      }
      return query === undefined ? result : compileLateQuery(query(scope)).evaluate(result, scope.env);
    });
}

function globalReference(entry: Entry<'globalReference'>, path: string): Loader {
  const query = entry.jmesPath === undefined ? undefined : compileText(entry.jmesPath, `${path}.globalReference.jmesPath`);
  const reference = compileText(entry.entry, `${path}.globalReference.name`);
  return scope =>
    named(entry.name, () => {
      const [name = '', ...rest] = reference(scope).split('.');
      const projection = rest.length === 0 ? undefined : rest.join('.');
      const value = scope.env.settle(`global:${name}.${projection ?? ''}`, options =>
        scope.env.loader.globalReference(name, projection, options),
      );
      if (value === undefined) throw new EvalError(`global context entry ${name} does not exist`);
      return query === undefined ? value : compileLateQuery(query(scope)).evaluate(value, scope.env);
    });
}

function imageRegistry(entry: Entry<'imageRegistry'>, path: string): Loader {
  const reference = compileText(entry.reference, `${path}.imageRegistry.reference`);
  const query = entry.jmesPath === undefined ? undefined : compileText(entry.jmesPath, `${path}.imageRegistry.jmesPath`);
  const credentials = child(entry.raw, 'imageRegistryCredentials');
  return scope =>
    named(entry.name, () => {
      const image = reference(scope);
      const access = credentials && readAccess(credentials, scope.env.secretNamespace);
      const key = access === undefined ? `image:${image}` : `image:${image} ${JSON.stringify(access)}`;
      const value = scope.env.settle(key, options => scope.env.loader.imageData(image, {...options, access}));
      return query === undefined ? value : compileLateQuery(query(scope)).evaluate(value, scope.env);
    });
}

/** A field that has to come out as text. */
function compileText(text: string, path: string): (scope: TemplateScope) => string {
  const template: Template<TemplateScope> = compileTemplate(text, path);
  const field = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return scope => {
    const value = template.evaluate(scope);
    if (typeof value !== 'string') throw new EvalError(`${path}: ${field} value must be a string, not ${stringifyJson(value).slice(0, 80)}`);
    return value;
  };
}

function named(name: string, load: () => Json): Json {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof EvalError) || error.code === 'budget' || error.message.startsWith('failed to load context')) throw error;
    throw new EvalError(`failed to load context: failed to load context entry ${name}: ${error.message}`, error.code);
  }
}
