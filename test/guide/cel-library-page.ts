import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import type {GlobalEntry} from '../../cli/offline/mock-loader.js';
import {createMockLoader} from '../../cli/offline/mock-loader.js';
import {Budget, defaultLimits} from '../../engine/budget.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {createEnvironment} from '../../engine/cel/compile/environment.js';
import type {Environment} from '../../engine/cel/environment.js';
import {extensionLibraries} from '../../engine/cel/extensions/index.js';
import {
  AuthorizerValue,
  authorizerLibrary,
  kubernetesLibraries,
  mutationLibraries,
} from '../../engine/cel/kubernetes/index.js';
import {GeneratorContext, kyvernoContexts, kyvernoLibraries} from '../../engine/cel/kyverno/index.js';
import type {CelHost, Library} from '../../engine/cel/library/library.js';
import {standardLibrary} from '../../engine/cel/standard/index.js';
import {dynType, opaque} from '../../engine/cel/types/type.js';
import {valueText} from '../../engine/cel/values/index.js';
import type {Value} from '../../engine/cel/values/value.js';
import {scopeLoader} from '../../engine/context/scoped-loader.js';
import type {ContextLoader} from '../../engine/context-loader.js';
import type {JsonObject} from '../../engine/json/types.js';
import {parseYaml} from '../../engine/yaml/index.js';

const path = join(import.meta.dirname, '../../docs/cel-libraries.md');

export interface PageRow {
  readonly section: string;
  /** For policies of a namespace. */
  readonly namespaced: boolean;
  /** First cell, as written. */
  readonly calls: string;
  readonly example: string;
  readonly value: string;
}

/** Rows of all tables of docs/cel-libraries.md. */
export function pageRows(): readonly PageRow[] {
  const rows: PageRow[] = [];
  let section = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    const cells = line.split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'));
    const [, calls, example, value] = cells;
    if (cells.length !== 5 || !example?.startsWith('`') || value === undefined) continue;
    rows.push({
      section,
      namespaced: section.includes('of a namespace'),
      calls: calls ?? '',
      example: unquoted(example),
      value: unquoted(value),
    });
  }
  return rows;
}

/** Text between backticks; two of them with blanks where the text holds one. */
function unquoted(cell: string): string {
  const double = /^``\s?(.*?)\s?``$/.exec(cell);
  return double?.[1] ?? cell.replace(/^`|`$/g, '');
}

/** Names of functions in the first cells, with and without what is before their last dot. */
export function namesOnPage(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const {calls} of pageRows()) {
    for (const [name = ''] of calls.matchAll(/[A-Za-z_][\w.]*(?=\(|`)/g)) {
      names.add(name);
      names.add(name.slice(name.lastIndexOf('.') + 1));
    }
  }
  return names;
}

const everything: readonly Library[] = [
  standardLibrary,
  ...extensionLibraries,
  ...kubernetesLibraries,
  ...mutationLibraries,
  authorizerLibrary,
  ...kyvernoLibraries({type: 'validating', namespaced: false}),
  ...kyvernoLibraries({type: 'generating', namespaced: false}),
];

/** Names of all functions that expressions of any kind may call, operators left out. */
export function servedNames(): readonly string[] {
  const names = everything.flatMap(library => (library.functions ?? []).map(({name}) => name));
  return [...new Set(names)].filter(name => /^[A-Za-z][\w.]*$/.test(name));
}

interface World {
  readonly object: JsonObject;
  readonly now: string;
  readonly resources: JsonObject[];
  readonly images: JsonObject[];
  readonly apiCallResponses: JsonObject[];
  readonly globalContextEntries: GlobalEntry[];
}

/** What the first YAML block of the page gives the examples to see. */
function world(): World {
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(path, 'utf8')) ?? [];
  return parseYaml(yaml) as unknown as World;
}

const regex = createRegexEngine();

function environment(namespaced: boolean): Environment {
  const seen = new Set<Library>();
  const libraries = [
    ...extensionLibraries,
    ...kubernetesLibraries,
    ...mutationLibraries,
    authorizerLibrary,
    ...kyvernoLibraries({type: 'validating', namespaced}),
    ...kyvernoLibraries({type: 'generating', namespaced}).filter(library => /generator/.test(library.name)),
  ].filter(library => !seen.has(library) && seen.add(library));
  return createEnvironment({
    libraries,
    variables: {object: dynType, authorizer: opaque('kubernetes.authorization.Authorizer')},
    twoVariableMacros: true,
    homogeneousLiterals: true,
    literalValidators: true,
    lenientOrValue: true,
    regex,
  });
}

function loaderOf(given: World): ContextLoader {
  const offline = createMockLoader({
    objects: [],
    visible: given.resources,
    images: given.images as never,
    apiCalls: given.apiCallResponses as never,
    globalEntries: given.globalContextEntries,
    resources: builtinResourceMap,
    regex,
    values: undefined,
  });
  return {
    ...offline,
    resourcePost: request => ({...request.object, status: {allowed: true}}),
    now: () => Date.parse(given.now),
  };
}

/** Evaluates an example of the page in its world and gives the value in CEL's notation, or a fault in words. */
export function exampleRunner(): (row: PageRow) => string {
  const given = world();
  const host = loaderOf(given);
  const environments = {cluster: environment(false), namespace: environment(true)};
  return ({example, namespaced}) => {
    const used = namespaced ? environments.namespace : environments.cluster;
    const outcome = used.compile(example);
    if (outcome.program === undefined) return outcome.text;
    const namespace = namespaced ? 'shop' : undefined;
    const scope = namespaced ? ({kind: 'namespace', namespace: 'shop'} as const) : ({kind: 'cluster'} as const);
    const loader = scopeLoader(host, scope, {allowServiceCalls: false});
    const contexts = {
      ...kyvernoContexts({namespace, generator: new GeneratorContext(namespace)}),
      object: given.object as Value,
      authorizer,
    };
    const bindings: Array<Value | undefined> = [];
    for (const [name, value] of Object.entries(contexts)) bindings[used.slot(name)] = value;
    return valueText(outcome.program.evaluate(bindings, celHost(loader)));
  };
}

/** Lets alice get, and nobody else anything. */
const authorizer = new AuthorizerValue(
  {username: 'alice'},
  {
    authorize({user, verb}) {
      const allowed = user.username === 'alice' && verb === 'get';
      return {allowed, reason: allowed ? '' : `${user.username} may not ${verb}`};
    },
  },
);

function celHost(loader: ContextLoader): CelHost {
  return {
    budget: new Budget(defaultLimits, () => 0),
    regex,
    loader,
    settle(_key, load) {
      const value = load({deadline: Number.POSITIVE_INFINITY});
      if (value instanceof Promise) throw new Error('the page has no answers that come later');
      return value;
    },
  };
}
