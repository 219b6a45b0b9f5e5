import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {readManifests} from '../../../adapters/files/manifests.js';
import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import {type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {PolicyCache} from '../../../engine/snapshot/policy-cache.js';
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

/** Whether the row waits for a later issue: that of a policy which this release stores and does not serve. */
export function isLater(group: PolicyGroup, row: GuideRow): boolean {
  return group.later && row.expected !== 'skip';
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

/** The namespaces that the rows and policies of the groups need, those left out that the rows themselves make. */
export function namespacesOf(root: string, groups: readonly PolicyGroup[], rows: readonly GuideRow[] = groups.flatMap(group => group.rows)): string[] {
  const objects = [
    ...rows.map(row => guideObject(root, row.resource)),
    ...groups.flatMap(group => group.policies as unknown as JsonObject[]),
  ];
  const names = [
    ...objects.map(object => ownPath(object, 'metadata', 'namespace')),
    ...rows.flatMap(row => [
      ...namedBy(row, 'namespaces'),
      ...namedBy(row, 'existing').map(file => ownPath(guideObject(root, file), 'metadata', 'namespace')),
    ]),
  ];
  const made = namespacesMade(root, rows);
  return [...new Set(names.filter(name => typeof name === 'string'))].filter(name => !made.includes(name)).sort();
}

/** Namespaces that are objects of rows. */
export function namespacesMade(root: string, rows: readonly GuideRow[]): string[] {
  const objects = rows.map(row => guideObject(root, row.resource)).filter(object => own(object, 'kind') === 'Namespace');
  return [...new Set(objects.map(object => String(ownPath(object, 'metadata', 'name'))))];
}

/** A list of the row's context. */
export function namedBy(row: GuideRow, what: 'namespaces' | 'existing'): string[] {
  const list = own(row.context ?? {}, what);
  return Array.isArray(list) ? list.map(String) : [];
}

function planGroup(root: string, file: string, rows: readonly GuideRow[]): PolicyGroup {
  const {manifests, errors, warnings} = readManifests([{path: file, text: readFileSync(join(root, file), 'utf8')}]);
  if (errors.length > 0) throw new Error(errors.join('; '));
  const policies = manifests.map(({object}) => object);
  return {
    file,
    policies: policies as unknown as Thing[],
    onlyForFiles: warnings.some(warning => warning.includes('given twice')),
    later: isUnserved(policies),
    rows: rows.filter(row => row.policy === file),
  };
}

/** Whether the operator, for which these are the options, says of every fault that it is for a later release to mend. */
function isUnserved(policies: readonly JsonObject[]): boolean {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'by-api-server', background: 'served', regex: createRegexEngine()},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  return policies
    .filter(policy => own(policy, 'kind') !== 'PolicyException')
    .map(policy => cache.putPolicy(policy))
    .some(state => state.status === 'refused' && state.problems.every(({code}) => code === 'not-served'));
}
