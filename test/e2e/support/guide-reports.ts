import {expect} from 'vitest';
import {eventually} from '../../cluster/eventually.js';
import {type GuideRow, guideObject, messagesOf} from '../../guide/load.js';
import type {GuideContext} from './guide-context.js';
import {flat} from './guide-judge.js';
import {type PolicyGroup, policyKeyOf} from './guide-plan.js';
import type {OperatorCluster} from './operator-cluster.js';
import {pathOf, put, type Thing} from './policies.js';
import {policy} from './samples.js';

/** What one rule says of one object in a report. */
export interface Reported {
  readonly policy: string;
  readonly rule?: string;
  readonly result: string;
  readonly message?: string;
  readonly source: string;
  readonly properties?: Readonly<Record<string, string>>;
}

interface Report {
  readonly metadata: {readonly name: string};
  readonly results?: readonly Reported[];
}

/** Results of all reports, by the uid of the object that they are about. */
export async function reportedResults({cluster}: Pick<OperatorCluster, 'cluster'>): Promise<Map<string, readonly Reported[]>> {
  const found = new Map<string, readonly Reported[]>();
  for (const resource of ['policyreports', 'clusterpolicyreports']) {
    const {body} = await cluster.request<{items: Report[]}>('GET', `/apis/wgpolicyk8s.io/v1alpha2/${resource}`);
    for (const {metadata, results = []} of body.items) found.set(metadata.name, results);
  }
  return found;
}

export function isScanned({properties}: Reported): boolean {
  return properties?.['process'] === 'background scan';
}

export const witness = 'seen-by-the-scan';

/** A policy that has every object of the kind in a report: where its word is, a scan has looked. */
export async function putWitness(operator: OperatorCluster, kinds: readonly string[]): Promise<void> {
  const validate = {message: 'seen', deny: {conditions: {any: [{key: 'a', operator: 'Equals', value: 'b'}]}}};
  await put(operator, [policy(witness, {rules: [{kinds, validate}], spec: {validationFailureAction: 'Audit', background: true}})]);
}

/** Compares what the background scan reports of an object that was there before its policy with what the row says. */
export async function judgeScan(context: GuideContext, group: PolicyGroup, row: GuideRow): Promise<void> {
  const {operator} = context.run();
  const object = guideObject(context.root, row.resource) as unknown as Thing;
  const {body} = await operator.cluster.request<Thing>('GET', pathOf(object));
  const key = policyKeyOf(group, row);
  const results = await eventually(
    async () => {
      const scanned = ((await reportedResults(operator)).get(body.metadata.uid ?? '') ?? []).filter(isScanned);
      return scanned.some(result => result.policy === witness) ? scanned : undefined;
    },
    {what: `a background scan's word on ${object.kind} ${object.metadata.name}`, everyMs: 200},
  );
  const found = results.find(result => result.policy === key && result.rule === row.rule);
  const status = found?.result ?? 'skip';
  expect(status === 'error' && row.expected === 'fail' ? 'fail' : status, found?.message).toBe(row.expected);
  for (const message of messagesOf(row)) expect(flat(found?.message)).toContain(flat(message));
}
