import type {Budget} from '../budget.js';
import {isObject, type Json, own} from '../json/types.js';
import {parseAnchor} from '../pattern/anchor.js';
import {compileNode, compilePattern} from '../pattern/compile-pattern.js';
import {type Failure, textOf} from '../pattern/failure.js';
import type {CompileNode, NodePlace, ObserveEntry} from '../pattern/map.js';
import type {NodeMatcher} from '../pattern/state.js';
import type {PatternResult} from '../pattern/types.js';
import {node} from './node.js';
import type {ExplainNode, Verdict} from './types.js';

/** An anchor whose key the object does not have. */
export const absentNote = 'absent, so there is nothing to judge';

export interface PatternTrace {
  readonly result: PatternResult;
  /** One per key of the pattern's root. */
  readonly children: readonly ExplainNode[];
}

/** Matches as `compilePattern` does, with a note of every node on the way. `path` is the pattern's place in the policy. */
export function tracePattern(
  pattern: Json,
  path: string,
  subject: {readonly resource: Json | undefined; readonly budget: Budget},
): PatternTrace {
  const tracer = new Tracer(path);
  const result = compilePattern(pattern, path, tracer.compile('entry')).match(subject.resource, subject.budget);
  const {children} = tracer;
  if (children.length === 0 && !isObject(pattern) && !Array.isArray(pattern)) {
    return {
      result,
      children: [
        node({
          kind: 'pattern',
          name: 'value',
          path,
          at: '/',
          verdict: result.status,
          wanted: pattern,
          got: subject.resource,
        }),
      ],
    };
  }
  return {result, children};
}

interface Frame {
  readonly path: string;
  /** Without trailing slash; empty at the root. */
  readonly at: string;
  readonly children: ExplainNode[];
  /** The list whose elements are being judged. */
  list?: readonly Json[];
}

class Tracer {
  readonly #stack: Frame[];
  readonly #root: Frame;

  constructor(path: string) {
    this.#root = {path, at: '', children: []};
    this.#stack = [this.#root];
  }

  get children(): readonly ExplainNode[] {
    return this.#root.children;
  }

  get #top(): Frame {
    return this.#stack.at(-1) ?? this.#root;
  }

  /** `entry`: the node at a key, noted there; a number: the element pattern at this index of a list. */
  compile(role: 'entry' | 'element'): CompileNode {
    let next = 0;
    return (pattern, place) => {
      if (role === 'entry') return this.#node(pattern, place);
      const index = next++;
      const match = this.#node(pattern, place);
      return isObject(pattern) || Array.isArray(pattern) ? this.#element(match, index) : match;
    };
  }

  #node(pattern: Json, place: NodePlace): NodeMatcher {
    if (isObject(pattern)) return this.#map(pattern, place);
    if (!Array.isArray(pattern)) return compileNode(pattern, place);
    const match = compileNode(pattern, place, this.compile('element'));
    return (value, state) => {
      if (Array.isArray(value)) this.#top.list = value;
      return match(value, state);
    };
  }

  #map(pattern: Record<string, Json>, place: NodePlace): NodeMatcher {
    let existence = this.compile('element');
    const below: CompileNode = (child, at) => {
      // An existence anchor compiles the entries of its list itself, one level further down.
      if (at.depth > place.depth + 1) return existence(child, at);
      existence = this.compile('element');
      return this.compile('entry')(child, at);
    };
    const match = compileNode(pattern, {...place, observe: this.#observe}, below);
    const keys = Object.keys(pattern).sort();
    return (value, state) => {
      const frame = this.#top;
      const found = match(value, state);
      if (state.anchorsFound !== undefined) return found;
      const seen = new Set(frame.children.map(child => child.name));
      for (const key of keys) {
        if (seen.has(key)) continue;
        const wanted = own(pattern, key) ?? null;
        frame.children.push(
          node({
            kind: 'pattern',
            name: key,
            path: `${frame.path}.${key}`,
            verdict: 'not-reached',
            wanted: leaf(wanted),
          }),
        );
      }
      return found;
    };
  }

  readonly #observe: ObserveEntry =
    ({key, pattern, find}, match) =>
    (resource, state) => {
      // The second walk after a failure only looks for anchors.
      if (state.anchorsFound !== undefined) return match(resource, state);
      const parent = this.#top;
      const name = find(resource);
      const got = own(resource, name);
      const frame: Frame = {path: `${parent.path}.${key}`, at: `${parent.at}/${name}`, children: []};
      if (Array.isArray(got)) frame.list = got;
      this.#stack.push(frame);
      let found: Failure | undefined;
      try {
        found = match(resource, state);
      } finally {
        this.#stack.pop();
      }
      const anchor = parseAnchor(key)?.kind;
      const absent = anchor !== undefined && anchor !== 'conditional' && got === undefined && found === undefined;
      parent.children.push(
        node({
          kind: 'pattern',
          name: key,
          path: frame.path,
          at: frame.at,
          verdict: verdictOf(found),
          wanted: leaf(pattern),
          got: leaf(pattern) === undefined && frame.children.length > 0 ? undefined : got,
          note: found !== undefined ? textOf(found, `${parent.at}/`) : absent ? absentNote : undefined,
          children: frame.children,
        }),
      );
      return found;
    };

  #element(match: NodeMatcher, index: number): NodeMatcher {
    return (value, state) => {
      if (state.anchorsFound !== undefined) return match(value, state);
      const parent = this.#top;
      const position = Math.max(0, parent.list?.indexOf(value as Json) ?? 0);
      const frame: Frame = {path: `${parent.path}[${index}]`, at: `${parent.at}/${position}`, children: []};
      this.#stack.push(frame);
      let found: Failure | undefined;
      try {
        found = match(value, state);
      } finally {
        this.#stack.pop();
      }
      parent.children.push(
        node({
          kind: 'element',
          name: `[${position}]`,
          path: frame.path,
          at: frame.at,
          verdict: verdictOf(found),
          got: frame.children.length === 0 ? value : undefined,
          note: found === undefined || frame.children.length > 0 ? undefined : textOf(found, `${frame.at}/`),
          children: frame.children,
        }),
      );
      return found;
    };
  }
}

/** Maps and lists are shown by their nodes. */
function leaf(pattern: Json): Json | undefined {
  if (isObject(pattern)) return Object.keys(pattern).length === 0 ? pattern : undefined;
  if (!Array.isArray(pattern)) return pattern;
  return pattern.some(item => isObject(item) || Array.isArray(item)) ? undefined : pattern;
}

function verdictOf(found: Failure | undefined): Verdict {
  switch (found?.kind) {
    case undefined:
      return 'pass';
    case 'skip':
      return 'skip';
    case 'invalid':
      return 'error';
    default:
      return 'fail';
  }
}
