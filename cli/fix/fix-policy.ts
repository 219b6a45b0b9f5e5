import {type Document, isMap, isScalar, isSeq, YAMLMap, type YAMLSeq} from 'yaml';
import type {Edit} from './edit-documents.js';
import {isEmptyMap, mapAt, mapsIn, seqAt, setText, textAt} from './nodes.js';

const operators: ReadonlyMap<string, string> = new Map([
  ['Equal', 'Equals'],
  ['NotEqual', 'NotEquals'],
  ['In', 'AllIn'],
  ['NotIn', 'AnyNotIn'],
]);
const actions: ReadonlyMap<string, string> = new Map([
  ['audit', 'Audit'],
  ['enforce', 'Enforce'],
]);
const directFields = ['resources', 'roles', 'clusterRoles', 'subjects'];
const kinds = ['ClusterPolicy', 'Policy', 'CleanupPolicy', 'ClusterCleanupPolicy'];

/** A policy with old forms → the current ones; other documents are left alone. */
export const fixPolicy: Edit = document => {
  const root = document.contents;
  if (!isMap(root) || !isPolicy(root)) return [];
  const changes: string[] = [];
  const spec = mapAt(root, 'spec');
  const fix: Fix = {document, changes};
  fixActions(spec, 'spec', fix);
  fixRuleLike(spec, 'spec', fix);
  for (const [index, rule] of mapsIn(seqAt(spec, 'rules')).entries()) fixRule(rule, `spec.rules[${index}]`, fix);
  prune(root, changes);
  return changes;
};

interface Fix {
  readonly document: Document;
  readonly changes: string[];
}

function isPolicy(root: YAMLMap): boolean {
  return (textAt(root, 'apiVersion') ?? '').startsWith('kyverno.io/') && kinds.includes(textAt(root, 'kind') ?? '');
}

function fixRule(rule: YAMLMap, path: string, fix: Fix): void {
  fixRuleLike(rule, path, fix);
  fixActions(mapAt(rule, 'validate'), `${path}.validate`, fix);
  for (const action of ['validate', 'mutate', 'generate']) fixBody(mapAt(rule, action), `${path}.${action}`, fix);
  for (const [index, image] of mapsIn(seqAt(rule, 'verifyImages')).entries()) {
    const at = `${path}.verifyImages[${index}]`;
    fixActions(image, at, fix);
    fixBody(mapAt(image, 'validate'), `${at}.validate`, fix);
    for (const [inner, attestation] of mapsIn(seqAt(image, 'attestations')).entries()) {
      fixOperators(attestation.get('conditions', true), `${at}.attestations[${inner}].conditions`, fix);
    }
  }
}

/** Match, exclude, preconditions and conditions of a rule, or of a clean-up policy's spec. */
function fixRuleLike(rule: YAMLMap | undefined, path: string, fix: Fix): void {
  if (rule === undefined) return;
  for (const block of ['match', 'exclude']) fixBlock(mapAt(rule, block), `${path}.${block}`, fix);
  fixPreconditions(rule, path, fix);
  fixOperators(rule.get('conditions', true), `${path}.conditions`, fix);
}

/** deny, loops and targets below an action. */
function fixBody(body: YAMLMap | undefined, path: string, fix: Fix): void {
  if (body === undefined) return;
  fixOperators(mapAt(body, 'deny')?.get('conditions', true), `${path}.deny.conditions`, fix);
  for (const list of ['foreach', 'targets']) {
    for (const [index, entry] of mapsIn(seqAt(body, list)).entries()) {
      const at = `${path}.${list}[${index}]`;
      fixPreconditions(entry, at, fix);
      fixBody(entry, at, fix);
    }
  }
}

function fixActions(map: YAMLMap | undefined, path: string, {changes}: Fix): void {
  if (map === undefined) return;
  const fixOne = (owner: YAMLMap, key: string, at: string) => {
    const value = textAt(owner, key);
    const current = value === undefined ? undefined : actions.get(value.toLowerCase());
    if (current === undefined || current === value) return;
    setText(owner, key, current);
    changes.push(`${at}.${key} is ${current}`);
  };
  for (const key of ['validationFailureAction', 'failureAction']) fixOne(map, key, path);
  for (const list of ['validationFailureActionOverrides', 'failureActionOverrides']) {
    for (const [index, override] of mapsIn(seqAt(map, list)).entries())
      fixOne(override, 'action', `${path}.${list}[${index}]`);
  }
}

/** A filter directly in the block becomes the only one of `any`. */
function fixBlock(block: YAMLMap | undefined, path: string, {document, changes}: Fix): void {
  if (block === undefined || block.has('any') || block.has('all')) return;
  const moved = block.items.filter(pair => isScalar(pair.key) && directFields.includes(String(pair.key.value)));
  if (moved.length === 0) return;
  const filter = new YAMLMap(document.schema);
  filter.items = moved;
  block.items = block.items.filter(pair => !moved.includes(pair));
  const any = document.createNode([]) as YAMLSeq;
  any.flow = false;
  any.items.push(filter);
  block.set(document.createNode('any'), any);
  block.flow = false;
  changes.push(`${path}: the filter stands under any`);
}

function fixPreconditions(owner: YAMLMap, path: string, fix: Fix): void {
  const conditions = owner.get('preconditions', true) as unknown;
  if (isSeq(conditions)) {
    const wrapped = new YAMLMap(fix.document.schema);
    wrapped.set(fix.document.createNode('all'), conditions);
    owner.set('preconditions', wrapped);
    fix.changes.push(`${path}.preconditions: the list stands under all`);
  }
  fixOperators(owner.get('preconditions', true), `${path}.preconditions`, fix);
}

function fixOperators(conditions: unknown, path: string, fix: Fix): void {
  if (isMap(conditions)) {
    for (const mode of ['any', 'all']) fixOperators(seqAt(conditions, mode), `${path}.${mode}`, fix);
    return;
  }
  if (!isSeq(conditions)) return;
  for (const [index, condition] of mapsIn(conditions).entries()) {
    const operator = textAt(condition, 'operator');
    const current = operator === undefined ? undefined : operators.get(operator);
    if (current === undefined) continue;
    setText(condition, 'operator', current);
    fix.changes.push(`${path}[${index}].operator is ${current}`);
  }
}

/** What a cluster adds, and blocks that say nothing. */
function prune(root: YAMLMap, changes: string[]): void {
  const drop = (map: YAMLMap | undefined, key: string, path: string) => {
    if (map?.delete(key) === true) changes.push(`${path} is gone`);
  };
  drop(root, 'status', 'status');
  for (const key of ['creationTimestamp', 'generation', 'uid', 'resourceVersion', 'managedFields']) {
    drop(mapAt(root, 'metadata'), key, `metadata.${key}`);
  }
  for (const [index, rule] of mapsIn(seqAt(mapAt(root, 'spec'), 'rules')).entries()) {
    for (const key of ['exclude', 'preconditions', 'mutate', 'generate', 'validate']) {
      if (isEmptyMap(mapAt(rule, key))) drop(rule, key, `spec.rules[${index}].${key}`);
    }
  }
}
