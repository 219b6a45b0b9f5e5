import {existsSync} from 'node:fs';
import type {CelPolicyCache} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';

const samples = 'docs/samples/requests';
/** Kinds that answer requests, with the paths that their names follow. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ['ValidatingPolicy', '/vpol'],
  ['NamespacedValidatingPolicy', '/nvpol'],
  ['MutatingPolicy', '/mpol'],
  ['NamespacedMutatingPolicy', '/nmpol'],
]);

export interface CurlOptions {
  readonly url: string;
  readonly caFile: string;
  /** Of policies written in CEL; see `celPaths`. */
  readonly celPaths: readonly string[];
}

/** Requests to try: one denied, one allowed, one patched by the sample policies, one for the policies written in CEL. */
export function curlLines({url, caFile, celPaths}: CurlOptions): string[] {
  if (!existsSync(samples)) {
    const paths = celPaths.length === 0 ? [] : [`policies written in CEL: POST ${celPaths.join(', ')}`];
    return [`try: curl --cacert ${caFile} ${url}/health/readiness`, ...paths];
  }
  const curl = (path: string, file: string) =>
    `curl -sS --cacert ${caFile} -H 'Content-Type: application/json' -d @${samples}/${file} '${url}${path}?timeout=10s'`;
  return [
    'denied:',
    `  ${curl('/validate/fail', 'denied.json')}`,
    'allowed:',
    `  ${curl('/validate/fail', 'allowed.json')}`,
    'patched:',
    `  ${curl('/mutate/fail', 'patched.json')}`,
    ...celPaths.flatMap(path => [`${path}:`, `  ${curl(path, 'denied.json')}`]),
  ];
}

/** One path per kind of which there are policies: `/vpol/first/second`. */
export function celPaths(cache: CelPolicyCache): string[] {
  const names = new Map<string, string[]>();
  for (const state of cache.policies()) {
    const prefix = prefixes.get(state.kind);
    if (prefix === undefined || state.status !== 'served') continue;
    const name = encodeURIComponent(state.policy.ref.name);
    const known = names.get(prefix);
    if (known === undefined) names.set(prefix, [name]);
    else if (!known.includes(name)) known.push(name);
  }
  return [...prefixes.values()].flatMap(prefix => {
    const found = names.get(prefix);
    return found === undefined ? [] : [`${prefix}/${found.sort().join('/')}`];
  });
}
