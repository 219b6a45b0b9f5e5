import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {readManifests} from '../../../adapters/files/manifests.js';
import {isObject, type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {type GuideRow, guideObject, guidePolicyFiles, guideRows} from '../../guide/load.js';
import type {Thing} from './policies.js';

/** One policy file of the guide with the rows that its policies are tried on. */
export interface PolicyGroup {
  readonly file: string;
  readonly policies: readonly Thing[];
  /** Doubled keys: file loaders read the blocks as one, kubectl keeps the last before the server sees any. */
  readonly onlyForFiles: boolean;
  /** Has rules that a later issue serves: stored, not Ready, never enforced in part. */
  readonly later: boolean;
  readonly rows: readonly GuideRow[];
}

export interface GuidePlan {
  readonly root: string;
  readonly rows: readonly GuideRow[];
  /** Files whose policies are complete. */
  readonly groups: readonly PolicyGroup[];
  /** Rows that submit a policy which has to be refused. */
  readonly outlines: readonly GuideRow[];
  /** Rows on who may write policies. */
  readonly access: readonly GuideRow[];
  /** Rows of a later issue. */
  readonly later: readonly GuideRow[];
}

/** Splits a guide's expectations into what is to be done. */
export function planGuide(root: string): GuidePlan {
  const rows = guideRows(root);
  const access = rows.filter(row => row.policy === null && row.userInfo !== undefined);
  const outlines = rows.filter(row => row.policy === null && row.userInfo === undefined);
  const outlined = new Set(outlines.map(row => row.resource));
  const groups = guidePolicyFiles(root)
    .filter(file => !outlined.has(file))
    .map(file => planGroup(root, file, rows));
  const later = groups.flatMap(group => group.rows.filter(row => isLater(group, row)));
  return {root, rows, groups, outlines, access, later};
}

/** Whether the row waits for a later issue: background work, generation, clean-up, CEL. */
export function isLater(group: PolicyGroup, row: GuideRow): boolean {
  return row.operation === 'BACKGROUND' || row.operation === 'CLEANUP' || (group.later && row.expected !== 'skip');
}

/** The policy that a row is about, as `name` or `namespace/name`. */
export function policyKeyOf(group: PolicyGroup, row: GuideRow): string {
  const keys = group.policies
    .filter(({kind}) => kind === 'ClusterPolicy' || kind === 'Policy')
    .map(({kind, metadata}) => (kind === 'Policy' ? `${metadata.namespace}/${metadata.name}` : metadata.name));
  const key = row.policyName === undefined ? keys[0] : keys.find(found => found === row.policyName);
  if (key === undefined) throw new Error(`${row.id}: no policy ${row.policyName} in ${group.file}`);
  return key;
}

/** The namespaces of every object that a row or policy names. */
export function namespacesOf(plan: GuidePlan): string[] {
  const objects = [
    ...plan.rows.filter(row => row.policy !== null).map(row => guideObject(plan.root, row.resource)),
    ...plan.groups.flatMap(group => group.policies as unknown as JsonObject[]),
  ];
  const names = objects.map(object => ownPath(object, 'metadata', 'namespace'));
  return [...new Set(names.filter(name => typeof name === 'string'))].sort();
}

function planGroup(root: string, file: string, rows: readonly GuideRow[]): PolicyGroup {
  const {manifests, errors, warnings} = readManifests([{path: file, text: readFileSync(join(root, file), 'utf8')}]);
  if (errors.length > 0) throw new Error(errors.join('; '));
  const policies = manifests.map(({object}) => object);
  return {
    file,
    policies: policies as unknown as Thing[],
    onlyForFiles: warnings.some(warning => warning.includes('given twice')),
    later: policies.some(policy => rulesOf(policy).some(isLaterRule)),
    rows: rows.filter(row => row.policy === file),
  };
}

function rulesOf(policy: JsonObject): JsonObject[] {
  const rules = ownPath(policy, 'spec', 'rules');
  return Array.isArray(rules) ? rules.filter(isObject) : [];
}

function isLaterRule(rule: JsonObject): boolean {
  const keys = ['generate', 'cleanup'];
  return keys.some(key => own(rule, key) !== undefined) || ownPath(rule, 'validate', 'cel') !== undefined;
}
