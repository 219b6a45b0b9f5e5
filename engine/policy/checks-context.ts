import type {JsonObject} from '../json/types.js';
import {findVariables} from '../variables/scan.js';
import {child, has, objects, text} from './access.js';
import type {Scope} from './check-scope.js';
import {parseExpression} from './expressions.js';
import {at} from './faults.js';

const types = ['configMap', 'apiCall', 'imageRegistry', 'variable', 'globalReference'];
const reserved = ['images', 'request', 'serviceAccountName', 'serviceAccountNamespace', 'element', 'elementIndex'];

/** Context entries of a rule, a foreach or a mutation target. */
export function checkContext(entries: readonly JsonObject[], path: string, scope: Scope): void {
  entries.forEach((entry, index) => {
    checkEntry(entry, at(path, index), scope);
  });
}

function checkEntry(entry: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  const name = text(entry, 'name') ?? '';
  if (name === '') faults.error('context-name', at(path, 'name'), 'a name is required for context entries');
  const clash = reserved.find(variable => name === variable || name.startsWith(`${variable}.`));
  if (clash)
    faults.error(
      'context-name',
      at(path, 'name'),
      `entry name ${name} is invalid as it conflicts with a pre-defined variable ${clash}`,
    );
  const given = types.filter(type => has(entry, type));
  if (given.length !== 1) {
    faults.error(
      'context-type',
      path,
      'exactly one of configMap or apiCall or imageRegistry or variable is required for context entries',
    );
    return;
  }
  const type = given[0]!;
  const body = child(entry, type)!;
  const place = at(path, type);
  if (type === 'configMap') checkConfigMap(body, place, scope);
  else if (type === 'apiCall') checkApiCall(body, place, scope);
  else if (type === 'variable') checkVariable(body, place, scope);
  else if (type === 'globalReference') {
    if (!text(body, 'name'))
      faults.error('context-global', at(place, 'name'), 'a name is required for globalReference context entries');
  } else checkImageReference(text(body, 'reference') ?? '', at(place, 'reference'), scope);
  checkJmesPath(body, place, scope);
}

function checkImageReference(reference: string, path: string, {faults}: Scope): void {
  const isBad = reference === '' || (findVariables(reference).length === 0 && /\s|^[-/:@]/.test(reference));
  if (isBad) faults.error('context-image', path, `bad image reference: ${JSON.stringify(reference.slice(0, 80))}`);
}

function checkConfigMap(body: JsonObject, path: string, {faults, namespaced, namespace}: Scope): void {
  if (!text(body, 'name'))
    faults.error('context-config-map', at(path, 'name'), 'a name is required for configMap context entries');
  const from = text(body, 'namespace') ?? '';
  if (from === '') {
    faults.error('context-config-map', at(path, 'namespace'), 'a namespace is required for configMap context entries');
  } else if (namespaced && namespace !== '' && from !== namespace && findVariables(from).length === 0) {
    faults.error(
      'context-namespace',
      at(path, 'namespace'),
      `a namespaced policy can only read ConfigMaps of its own namespace, expected: ${namespace}, received: ${from}`,
    );
  }
}

function checkApiCall(body: JsonObject, path: string, {faults, namespaced, namespace}: Scope): void {
  const service = child(body, 'service');
  const urlPath = text(body, 'urlPath') ?? '';
  if (urlPath !== '' && service)
    faults.error('context-api-call', path, 'both urlPath and service cannot be specified in an apiCall context entry');
  if (urlPath === '' && !service)
    faults.error('context-api-call', path, 'either urlPath or service is required in an apiCall context entry');
  if (service && !text(service, 'url'))
    faults.error('context-api-call', at(at(path, 'service'), 'url'), 'a url is required for a service');
  const isForeign = !`${urlPath.split('?')[0]}/`.includes(`/namespaces/${namespace}/`);
  if (namespaced && namespace !== '' && urlPath !== '' && isForeign && findVariables(urlPath).length === 0) {
    faults.warn(
      'context-namespace',
      at(path, 'urlPath'),
      `a namespaced policy may only call paths of its own namespace: /namespaces/${namespace}/`,
    );
  }
  if (objects(body, 'data').length > 0 && text(body, 'method') !== 'POST') {
    faults.warn('context-api-call', at(path, 'data'), 'data is sent with method POST only');
  }
}

function checkVariable(body: JsonObject, path: string, {faults}: Scope): void {
  const jmesPath = text(body, 'jmesPath') ?? '';
  const value = Object.hasOwn(body, 'value');
  if (!value && jmesPath === '')
    faults.error('context-variable', path, 'value or jmesPath is required for variable context entries');
  if (Object.hasOwn(body, 'default') && jmesPath === '') {
    faults.error('context-variable', at(path, 'default'), 'default requires jmesPath in variable context entries');
  }
}

function checkJmesPath(body: JsonObject, path: string, {faults}: Scope): void {
  const jmesPath = text(body, 'jmesPath') ?? '';
  if (jmesPath === '' || jmesPath.includes('{{')) return;
  const parsed = parseExpression(jmesPath);
  if ('fault' in parsed) {
    faults.error('jmespath-syntax', at(path, 'jmesPath'), `invalid JMESPath query ${jmesPath}: ${parsed.fault}`, {
      expression: jmesPath,
    });
  }
}
