import {expect} from 'vitest';
import {eventually} from '../../cluster/eventually.js';
import {type Reported, reportedResults} from './guide-reports.js';
import type {OperatorCluster} from './operator-cluster.js';
import {allServed, collectionOf, pathOf, type Thing, write} from './policies.js';
import type {Shell, ShellResult} from './shell.js';

export interface Answer {
  readonly allowed: boolean;
  readonly message: string;
  readonly uid: string;
}

/** Whose result in a report is meant. */
export interface Word {
  readonly policy: string;
  readonly rule: string;
}

export interface FlowTools {
  /** A command that has to succeed. */
  typed(command: string): Promise<ShellResult>;
  /** `kubectl apply` of a file; its policies are in force when this resolves. */
  apply(file: string): Promise<void>;
  serve(policy: Thing): Promise<void>;
  create(object: Thing): Promise<Answer>;
  remove(object: Thing): Promise<void>;
  /** What the report on the object has of the rule. */
  resultsOn(uid: string, word: Word): Promise<readonly Reported[]>;
  /** Waits until the report says so. */
  reported(uid: string, word: Word, wanted: string): Promise<Reported>;
}

export function createFlowTools(operator: OperatorCluster, shell: Shell): FlowTools {
  const {cluster} = operator;
  const tools: FlowTools = {
    async typed(command) {
      const result = await shell.run(command);
      expect(result.code, `${command}\n${result.stderr}`).toBe(0);
      return result;
    },
    async apply(file) {
      await tools.typed(`kubectl apply -f ${file}`);
      const {stdout} = await tools.typed(`kubectl get -f ${file} -o json`);
      const answer = JSON.parse(stdout) as Thing & {readonly items?: readonly Thing[]};
      await allServed(operator, answer.items ?? [answer]);
    },
    async serve(policy) {
      await write(operator, policy);
      await allServed(operator, [policy]);
    },
    async create(object) {
      const {status, body} = await cluster.request<Thing & {message?: string}>('POST', collectionOf(object), object);
      return {allowed: status === 201, message: body.message ?? '', uid: body.metadata?.uid ?? ''};
    },
    async remove(object) {
      await cluster.request('DELETE', `${pathOf(object)}?gracePeriodSeconds=0`);
    },
    async resultsOn(uid, {policy, rule}) {
      const results = (await reportedResults(operator)).get(uid) ?? [];
      return results.filter(result => result.policy === policy && result.rule === rule);
    },
    reported: (uid, word, wanted) =>
      eventually(async () => (await tools.resultsOn(uid, word)).find(({result}) => result === wanted), {
        what: `${word.policy}/${word.rule} ${wanted} in the report on ${uid}`,
        everyMs: 200,
      }),
  };
  return tools;
}

/** A policy on Pods that reports, and nothing else. */
export function auditing(name: string, label: string): Thing {
  const validate = {message: `label ${label} is missing`, pattern: {metadata: {labels: {[label]: '?*'}}}};
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name},
    spec: {validationFailureAction: 'audit', rules: [{name: 'has-label', match: {any: [{resources: {kinds: ['Pod']}}]}, validate}]},
  };
}
