import {compileKindSelector, type KindSelector, parseKindSelector} from '../../engine/match/kind-selector.js';
import {compileGlob, hasWildcard, type TextTest} from '../../engine/values/glob.js';
import type {FilteredResource} from '../../webhook/types.js';

/** Objects that no policy sees: `[kind,namespace,name]`, each with wildcards. */
export interface ResourceFilter {
  readonly kind: KindSelector;
  readonly namespace: string;
  readonly name: string;
}

export type RequestTest = (request: FilteredResource) => boolean;

/**
 * Reads `[kind,namespace,name] [kind,namespace,name] …`. A part that is left out fits only where there is nothing (no
 * namespace, no name). Brackets that cannot be read are left out and named in `problems`.
 */
export function parseResourceFilters(text: string): {filters: readonly ResourceFilter[]; problems: readonly string[]} {
  const filters: ResourceFilter[] = [];
  const problems: string[] = [];
  for (const [bracket, inside = ''] of text.matchAll(/\[([^[\]]*)\]/g)) {
    const [kindText = '', namespace = '', name = '', ...rest] = inside.split(',');
    const kind = kindText === '' ? undefined : parseKindSelector(kindText);
    if (rest.length > 0) problems.push(`${bracket} has more than the three parts kind,namespace,name`);
    else if (kind === undefined) problems.push(`${bracket} has no kind that can be read`);
    else if (/\s/.test(inside)) problems.push(`${bracket} has blanks, which no kind, namespace or name has`);
    else filters.push({kind, namespace, name});
  }
  const outside = text.replaceAll(/\[[^[\]]*\]/g, '').trim();
  if (outside !== '') problems.push(`"${outside}" stands outside of brackets`);
  return {filters, problems};
}

/** True for a request that no policy sees. Kinds without wildcards are found by name, the others are tried in turn. */
export function compileResourceFilters(filters: readonly ResourceFilter[]): RequestTest {
  const byKind = new Map<string, RequestTest[]>();
  const wild: RequestTest[] = [];
  for (const filter of filters) {
    const {kind} = filter.kind;
    if (hasWildcard(kind)) wild.push(compileFilter(filter));
    else byKind.set(kind, [...(byKind.get(kind) ?? []), compileFilter(filter)]);
  }
  return request => {
    const named = byKind.get(request.kind);
    if (named?.some(test => test(request))) return true;
    return wild.some(test => test(request));
  };
}

function compileFilter(filter: ResourceFilter): RequestTest {
  const kind = compileKindSelector(filter.kind, false);
  const namespace = compilePart(filter.namespace);
  const name = compilePart(filter.name);
  return request => {
    const {group, version, subResource} = request;
    if (!kind({group, version, kind: request.kind, subresource: subResource}) || !name(request.name)) return false;
    if (namespace(request.namespace)) return true;
    // A filter for all that is in a namespace covers the namespace itself.
    return request.kind === 'Namespace' && group === '' && version === 'v1' && namespace(request.name);
  };
}

function compilePart(pattern: string): TextTest {
  return pattern === '*' ? () => true : compileGlob(pattern);
}
