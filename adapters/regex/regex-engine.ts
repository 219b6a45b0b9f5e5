import {type Matcher, RE2JS, RE2JSException} from 're2js';
import {EvalError} from '../../engine/diagnostic.js';
import type {CompiledRegex, FindAllOptions, RegexEngine, RegexMatch} from '../../engine/regex/types.js';
import {nativeSubset} from './native-subset.js';
import {parseReplacement, type ReplacementPart} from './replacement.js';

export interface RegexEngineOptions {
  /** Compiled patterns kept, least recently used dropped first. Default 1,000. */
  readonly capacity?: number;
}

const maxPatternLength = 32 * 1024;

/**
 * RE2 over re2js: linear time, Go's syntax and error texts. Tests of simple patterns on short texts run on the native
 * engine, where both agree and backtracking is bounded.
 */
export function createRegexEngine(options: RegexEngineOptions = {}): RegexEngine {
  const capacity = options.capacity ?? 1_000;
  const cache = new Map<string, CompiledRegex>();
  return {
    compile(pattern) {
      const cached = cache.get(pattern);
      const compiled = cached ?? compileRegex(pattern);
      if (cached) cache.delete(pattern);
      else if (cache.size >= capacity) cache.delete(cache.keys().next().value!);
      cache.set(pattern, compiled);
      return compiled;
    },
  };
}

function compileRegex(pattern: string): CompiledRegex {
  const regex = parse(pattern);
  const native = nativeSubset(pattern);
  const groups = regex.groupCount();
  const reach = native?.settles ? pattern.length : Number.POSITIVE_INFINITY;
  const names = regex.namedGroups();

  function groupOf(part: Exclude<ReplacementPart, string>): number | undefined {
    if (typeof part.group === 'number') return part.group <= groups ? part.group : undefined;
    return Object.hasOwn(names, part.group) ? names[part.group] : undefined;
  }

  function replace(text: string, parts: readonly ReplacementPart[]): string {
    let result = '';
    let from = 0;
    const matcher = regex.matcher(text);
    forEachMatch(matcher, text, {}, () => {
      result += text.slice(from, matcher.start());
      from = matcher.end();
      for (const part of parts) {
        if (typeof part === 'string') result += part;
        else {
          const group = groupOf(part);
          if (group !== undefined) result += matcher.group(group) ?? '';
        }
      }
    });
    return result + text.slice(from);
  }

  const isNative = (text: string): boolean => native !== undefined && text.length <= native.maxLength;
  let everywhere: RegExp | undefined;

  return {
    groupCount: groups,
    test: text => (isNative(text) ? native!.regex.test(text) : regex.test(text)),
    find(text) {
      const matcher = regex.matcher(text);
      return matcher.find() ? matchOf(matcher, groups) : undefined;
    },
    findAll(text, options = {}) {
      const matches: RegexMatch[] = [];
      const matcher = regex.matcher(text);
      forEachMatch(matcher, text, {...options, reach}, () => matches.push(matchOf(matcher, groups)));
      return matches;
    },
    findText(text) {
      if (isNative(text)) return native!.regex.exec(text)?.[0];
      const matcher = regex.matcher(text);
      return matcher.find() ? (matcher.group() ?? '') : undefined;
    },
    findAllTexts(text, options = {}) {
      if (isNative(text)) {
        everywhere ??= new RegExp(native!.regex.source, 'gu');
        return nativeTexts(everywhere, text, options.limit);
      }
      const texts: string[] = [];
      const matcher = regex.matcher(text);
      forEachMatch(matcher, text, {...options, reach}, () => texts.push(matcher.group() ?? ''));
      return texts;
    },
    replaceAll: (text, replacement) => replace(text, parseReplacement(replacement)),
    replaceAllLiteral: (text, replacement) => replace(text, [replacement]),
  };
}

/**
 * Calls `visit` while the matcher stands on a match. Go has no empty match right behind another match. `reach`: how far
 * beyond its match a search may look.
 */
function forEachMatch(
  matcher: Matcher,
  text: string,
  options: FindAllOptions & {reach?: number},
  visit: () => void,
): void {
  const {limit = Number.POSITIVE_INFINITY, onSearch, reach = Number.POSITIVE_INFINITY} = options;
  let end = 0;
  for (let count = 0, last = -1; count < limit; ) {
    const left = text.length - end;
    if (reach > left) onSearch?.(left);
    if (!matcher.find()) return;
    if (reach <= left) onSearch?.(Math.min(left, matcher.end() - end + reach));
    end = matcher.end();
    if (matcher.start() === end && end === last) continue;
    last = end;
    count++;
    visit();
  }
}

function matchOf(matcher: Matcher, groups: number): RegexMatch {
  const texts: Array<string | undefined> = [];
  for (let group = 0; group <= groups; group++) texts.push(matcher.group(group) ?? undefined);
  return {start: matcher.start(), end: matcher.end(), groups: texts};
}

function nativeTexts(regex: RegExp, text: string, limit = Number.POSITIVE_INFINITY): string[] {
  const texts: string[] = [];
  regex.lastIndex = 0;
  for (let last = -1; texts.length < limit; ) {
    const found = regex.exec(text);
    if (found === null) break;
    const end = found.index + found[0].length;
    if (found[0] === '') regex.lastIndex = end + (text.codePointAt(end)! > 0xffff ? 2 : 1);
    if (found[0] === '' && end === last) continue;
    last = end;
    texts.push(found[0]);
  }
  return texts;
}

function parse(pattern: string): RE2JS {
  if (pattern.length > maxPatternLength)
    throw new EvalError('error parsing regexp: expression too large', 'regex-syntax');
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) throw new EvalError(error.message, 'regex-syntax');
    throw error;
  }
}
