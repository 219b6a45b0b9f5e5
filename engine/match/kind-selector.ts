import {compileGlob, hasWildcard} from '../values/glob.js';

/** `group/version/Kind/subresource` as users write it in `kinds`, missing parts as wildcards (no subresource: empty). */
export interface KindSelector {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly subresource: string;
}

const versionPattern = /^(v\d+((alpha|beta)\d+)?|\*)$/;
const lowerCase = /^[a-z]+$/;

/** Reads a kind selector; `undefined` for a form that can match nothing. */
export function parseKindSelector(text: string): KindSelector | undefined {
  const parts = text.split('/');
  const last = parts.pop() ?? '';
  const dot = last.indexOf('.');
  if (dot === -1) parts.push(last);
  else parts.push(last.slice(0, dot), last.slice(dot + 1));
  const [a = '', b = '', c = '', d = ''] = parts;
  switch (parts.length) {
    case 1:
      return {group: '*', version: '*', kind: a, subresource: ''};
    case 2:
      if (a === '*' && b === '*') return {group: '*', version: '*', kind: '*', subresource: '*'};
      if (a === '*' && lowerCase.test(b)) return {group: '*', version: '*', kind: '*', subresource: b};
      if (versionPattern.test(a)) return {group: '*', version: a, kind: b, subresource: ''};
      return {group: '*', version: '*', kind: a, subresource: b};
    case 3:
      if (versionPattern.test(a)) return {group: '*', version: a, kind: b, subresource: c};
      return {group: a, version: b, kind: c, subresource: ''};
    case 4:
      return {group: a, version: b, kind: c, subresource: d};
    default:
      return undefined;
  }
}

/** What a request shows of its kind: the top-level resource's, plus the subresource. */
export interface KindSubject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly subresource: string;
}

/**
 * Matches a subject against one selector. A selector for v1 Pod also takes `pods/ephemeralcontainers`, unless
 * `ephemeralContainers` is false (clean-up policies).
 */
export function compileKindSelector(selector: KindSelector, ephemeralContainers = true): (subject: KindSubject) => boolean {
  const group = part(selector.group);
  const version = part(selector.version);
  const kind = part(selector.kind);
  const subresource = part(selector.subresource);
  const takesPod = ephemeralContainers && group('') && version('v1') && kind('Pod') && subresource('');
  return subject =>
    kind(subject.kind) &&
    (subresource(subject.subresource) ||
      (takesPod && subject.subresource === 'ephemeralcontainers' && subject.kind === 'Pod' && subject.group === '')) &&
    group(subject.group) &&
    version(subject.version);
}

function part(pattern: string): (text: string) => boolean {
  if (pattern === '*') return () => true;
  return hasWildcard(pattern) ? compileGlob(pattern) : text => text === pattern;
}
