import {ownPath} from '../../json/types.js';
import type {EngineRequest} from '../../types.js';
import type {ResourceRule} from '../model.js';

/** A test of the request alone: it never waits. */
export type RuleTest = (request: EngineRequest) => boolean;

/** Whether some rule selects the request, as the API server judges rules of webhooks. No rules select nothing. */
export function compileResourceRules(
  rules: readonly ResourceRule[],
  options: {readonly anyOperation: boolean},
): RuleTest {
  const tests = rules.map(rule => compileRule(rule, options.anyOperation));
  const [only] = tests;
  if (only === undefined) return () => false;
  return tests.length === 1 ? only : request => tests.some(test => test(request));
}

function compileRule(rule: ResourceRule, anyOperation: boolean): RuleTest {
  const tests: RuleTest[] = [];
  const operations = new Set(rule.operations);
  if (!anyOperation && !operations.has('*')) tests.push(({operation}) => operations.has(operation));
  const groups = new Set(rule.apiGroups);
  if (!groups.has('*')) tests.push(({resource}) => groups.has(resource.group));
  const versions = new Set(rule.apiVersions);
  if (!versions.has('*')) tests.push(({resource}) => versions.has(resource.version));
  tests.push(resourceTest(rule.resources));
  if (rule.scope !== '*') {
    const namespaced = rule.scope === 'Namespaced';
    tests.push(request => isNamespaced(request) === namespaced);
  }
  if (rule.resourceNames.length > 0) tests.push(nameTest(rule.resourceNames));
  return request => {
    for (const test of tests) if (!test(request)) return false;
    return true;
  };
}

/** `pods` is the resource itself, `pods/*` it and its subresources, `*` every resource without subresources. */
function resourceTest(resources: readonly string[]): RuleTest {
  const wanted = resources.map(text => {
    const slash = text.indexOf('/');
    return slash === -1 ? {name: text, sub: ''} : {name: text.slice(0, slash), sub: text.slice(slash + 1)};
  });
  return ({resource, subResource}) => {
    for (const {name, sub} of wanted) {
      if ((name === '*' || name === resource.resource) && (sub === '*' || sub === subResource)) return true;
    }
    return false;
  };
}

/** A Namespace has its own name as namespace in requests, but is cluster-scoped. */
function isNamespaced({namespace, resource}: EngineRequest): boolean {
  return namespace !== '' && !(resource.group === '' && resource.resource === 'namespaces');
}

/** An object whose name the API server has yet to make is known by the beginning of that name. */
function nameTest(names: readonly string[]): RuleTest {
  const exact = new Set(names);
  return request => {
    if (request.name !== '') return exact.has(request.name);
    const prefix = ownPath(request.object ?? null, 'metadata', 'generateName');
    return typeof prefix === 'string' && prefix !== '' && names.some(name => prefix.startsWith(name));
  };
}
