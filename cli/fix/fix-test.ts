import {type Document, isMap, isScalar, type YAMLMap, YAMLSeq} from 'yaml';
import type {Edit} from './edit-documents.js';
import {mapAt, mapsIn, renameKey, seqAt, setFirst, textAt, textsIn} from './nodes.js';

export interface FixTestOptions {
  /** Name for a test that has none. */
  readonly name: string;
  /** Joins results that differ in their resources only. */
  readonly compress: boolean;
}

/** A test file of any age → the current form, in a steady order. */
export function fixTest(options: FixTestOptions): Edit {
  return document => {
    const root = document.contents;
    if (!isMap(root) || root.items.length === 0) return [];
    return [
      ...fixHead(document, root, {kind: 'Test', name: options.name}),
      ...fixResults(document, root, options),
      ...sortEntries(seqAt(root, 'globalContextEntries')),
    ];
  };
}

/** apiVersion, kind and metadata.name. */
function fixHead(document: Document, root: YAMLMap, head: {readonly kind: string; readonly name: string}): string[] {
  const changes: string[] = [];
  const old = textAt(root, 'name');
  const metadata = mapAt(root, 'metadata');
  if (root.has('name')) {
    const key = root.items.find(item => isScalar(item.key) && item.key.value === 'name')?.key;
    // The comment at the top of the file stands before its first key.
    if (isScalar(key) && key.commentBefore && root.commentBefore == null) root.commentBefore = key.commentBefore;
    root.delete('name');
    changes.push('name is now metadata.name');
  }
  if (!textAt(metadata, 'name')) {
    const name = old === undefined || old === '' ? head.name : old;
    if (metadata === undefined)
      setFirst(root, 'metadata', {name}, (key, value) => document.createPair(key, value) as YAMLMap['items'][number]);
    else metadata.set(document.createNode('name'), document.createNode(name));
    changes.push(`metadata.name is ${name}`);
  }
  return [...changes, ...fixKind(document, root, head.kind)];
}

/** apiVersion and kind, which files of early releases lack. */
export function fixKind(document: Document, root: YAMLMap, kind: string): string[] {
  const changes: string[] = [];
  for (const [key, value] of [
    ['kind', kind],
    ['apiVersion', 'cli.kyverno.io/v1alpha1'],
  ] as const) {
    if (textAt(root, key)) continue;
    setFirst(root, key, value, (name, text) => document.createPair(name, text) as YAMLMap['items'][number]);
    changes.push(`${key} is ${value}`);
  }
  return changes;
}

function fixResults(document: Document, root: YAMLMap, options: FixTestOptions): string[] {
  const results = seqAt(root, 'results');
  if (results === undefined) return [];
  const changes: string[] = [];
  for (const [index, result] of mapsIn(results).entries()) {
    for (const change of fixResult(document, result)) changes.push(`results[${index}]: ${change}`);
  }
  if (options.compress) changes.push(...compress(results));
  const sorted = [...results.items].sort((a, b) => compareKeys(sortKey(a), sortKey(b)));
  if (sorted.some((item, index) => item !== results.items[index])) {
    // The comment before the first result is the list's, but goes with the result.
    const [first] = results.items;
    if (isMap(first) && results.commentBefore) {
      first.commentBefore = results.commentBefore;
      results.commentBefore = null;
    }
    results.items = sorted;
    changes.push('results are in order');
  }
  return changes;
}

/** Fields of early releases, then repeated names. */
function fixResult(document: Document, result: YAMLMap): string[] {
  const changes: string[] = [];
  const resource = textAt(result, 'resource');
  const namespace = textAt(result, 'namespace');
  if (resource !== undefined && !result.has('resources')) {
    renameKey(result, 'resource', 'resources');
    const name = namespace === undefined || namespace === '' ? resource : `${namespace}/${resource}`;
    result.set('resources', document.createNode([name]));
    result.delete('namespace');
    changes.push('resource is now resources');
  }
  for (const [from, to] of [
    ['status', 'result'],
    ['patchedResource', 'patchedResources'],
  ] as const) {
    if (!result.has(from) || result.has(to)) continue;
    renameKey(result, from, to);
    changes.push(`${from} is now ${to}`);
  }
  for (const key of ['resources', 'generatedResources']) {
    const list = seqAt(result, key);
    if (list !== undefined && dropRepeated(list)) changes.push(`${key} names each once`);
  }
  return changes;
}

function dropRepeated(list: YAMLSeq): boolean {
  const seen = new Set<string>();
  const kept = list.items.filter(item => {
    const text = JSON.stringify(item);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
  const dropped = kept.length < list.items.length;
  if (dropped) list.items = kept;
  return dropped;
}

function compress(results: YAMLSeq): string[] {
  const groups = new Map<string, YAMLMap>();
  const kept: unknown[] = [];
  for (const item of results.items) {
    const resources = isMap(item) ? seqAt(item, 'resources') : undefined;
    if (!isMap(item) || resources === undefined) {
      kept.push(item);
      continue;
    }
    const base = baseOf(item);
    const first = groups.get(base);
    if (first === undefined) {
      groups.set(base, item);
      kept.push(item);
      continue;
    }
    const joined = seqAt(first, 'resources') ?? new YAMLSeq();
    joined.items.push(...resources.items);
    dropRepeated(joined);
  }
  if (kept.length === results.items.length) return [];
  const count = results.items.length - kept.length;
  results.items = kept;
  return [`${count} results are joined with others`];
}

/** Everything but the resources, as text. */
function baseOf(result: YAMLMap): string {
  const fields = Object.entries(result.toJSON() as Record<string, unknown>).filter(([key]) => key !== 'resources');
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const sortFields = ['policy', 'rule', 'result', 'kind', 'generatedResource', 'cloneSourceResource'];

function sortKey(item: unknown): readonly string[] {
  if (!isMap(item)) return [];
  const resources = textsIn(seqAt(item, 'resources'));
  const count = String(resources.length).padStart(9, '0');
  return [...sortFields.map(field => textAt(item, field) ?? ''), count, ...resources];
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [left = '', right = ''] = [a[index], b[index]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function sortEntries(entries: YAMLSeq | undefined): string[] {
  if (entries === undefined) return [];
  const name = (item: unknown) => (isMap(item) ? (textAt(item, 'name') ?? '') : '');
  const sorted = [...entries.items].sort((a, b) => compareKeys([name(a)], [name(b)]));
  if (sorted.every((item, index) => item === entries.items[index])) return [];
  entries.items = sorted;
  return ['globalContextEntries are in order'];
}
