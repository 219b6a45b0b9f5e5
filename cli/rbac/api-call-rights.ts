import {findVariables} from '../../engine/variables/scan.js';
import type {Duty, NeedsList} from './right.js';

export interface CallPlace {
  readonly duties: readonly Duty[];
  readonly path: string;
}

/** Stands where a variable does: it must not be taken for a name. */
const unknown = '\u0000';

/** What a call of the API server by `urlPath` needs. Segments that variables fill are known as long as they name no kind. */
export function addCall(needs: NeedsList, {urlPath, method}: {readonly urlPath: string; readonly method: 'GET' | 'POST'}, {duties, path}: CallPlace): void {
  const segments = withoutVariables(urlPath).split('?')[0]!.split('/').filter(part => part !== '');
  const [root, ...rest] = segments;
  const isCore = root === 'api';
  const [group, ...below] = isCore ? ['', ...rest.slice(1)] : rest.filter((_, index) => index !== 1);
  if ((!isCore && root !== 'apis') || below.length === 0) {
    // `/version`, `/healthz`: whoever is known to the API server may read those.
    if (root === unknown || segments.length === 0) needs.unknown(`${path}: the call's path is known only when the policy works: ${urlPath}`);
    return;
  }
  const inNamespace = below[0] === 'namespaces' && below.length > 2;
  const [resource = '', name = '', subresource = ''] = inNamespace ? below.slice(2) : below;
  const namespace = inNamespace ? below[1]! : '';
  if ([group, resource, subresource].some(part => part?.includes(unknown))) {
    needs.unknown(`${path}: the kind that is read is known only when the policy works: ${urlPath}`);
    return;
  }
  const isKnown = (text: string) => text !== '' && !text.includes(unknown);
  const verb = method === 'POST' ? 'create' : name === '' ? 'list' : 'get';
  for (const duty of duties) {
    needs.add({
      duty,
      verbs: [verb],
      group: group ?? '',
      resource: subresource === '' ? resource : `${resource}/${subresource}`,
      namespace: isKnown(namespace) ? namespace : '',
      names: verb === 'get' && isKnown(name) ? [name] : [],
      path,
    });
  }
}

/** Inner variables first; deeper nesting than this names nothing that could be told. */
const deepest = 8;

function withoutVariables(text: string): string {
  let result = text;
  for (let depth = 0; depth < deepest; depth++) {
    const spans = findVariables(result);
    if (spans.length === 0) break;
    let rest = '';
    let at = 0;
    for (const {start, end} of spans) {
      rest += result.slice(at, start) + unknown;
      at = end;
    }
    result = rest + result.slice(at);
  }
  return result;
}
