import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {kindOf, namedFrom, refOf} from '../update-requests/trigger.js';
import {storedResult} from './fingerprint.js';
import {type ReportSubject, secondsOf, storedResults} from './merge-report.js';
import {ephemeralReportApi, managedByLabel, type ReportApi, reportName} from './report-kinds.js';
import {type ReportResult, resultKey} from './report-result.js';
import type {ReportWriter} from './report-writer.js';
import type {Standing} from './standing.js';
import {whoOf} from './who.js';

export interface AdoptOptions {
  readonly client: KubeClient;
  readonly log: Logger;
  readonly resources: ResourceMap;
  readonly writer: Pick<ReportWriter, 'add' | 'room'>;
  /** Where joined reports are kept. */
  readonly joint: ReportApi;
  readonly standing: Standing;
  /** False once it is somebody else's to do. */
  readonly goesOn: () => boolean;
}

/**
 * Consumes the EphemeralReports that the peer, or an installation that kept both sides apart, left behind. What scans find
 * again is theirs to say; of the rest, what is newer than the object's report joins it. How many were consumed.
 */
export async function adoptEphemeralReports({client, log, resources, writer, joint, standing, goesOn}: AdoptOptions): Promise<number> {
  const api = ephemeralReportApi('admission');
  let consumed = 0;
  for (const kind of [api.namespaced, api.cluster]) {
    const collection = {group: api.group, version: api.version, resource: kind.resource};
    const {items} = await listed(client, collection);
    for (const report of items) {
      if (!goesOn()) return consumed;
      const room = writer.room();
      if (room !== undefined) await room;
      await consume(report);
      const namespace = textOf(ownPath(report, 'metadata', 'namespace'));
      const name = textOf(ownPath(report, 'metadata', 'name'));
      try {
        await client.delete({...collection, namespace, name}, {uid: textOf(ownPath(report, 'metadata', 'uid'))});
        consumed += 1;
      } catch (error) {
        if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw error;
      }
    }
  }
  if (consumed > 0) log.info('reports of admissions that were not joined yet are consumed', {count: consumed});
  return consumed;

  async function consume(report: JsonObject): Promise<void> {
    const owner = namedFrom(ownPath(report, 'spec', 'owner'));
    const subject: ReportSubject = {...owner, namespace: textOf(ownPath(report, 'metadata', 'namespace'))};
    const told = storedResults(report).filter(json => !standing.isScanned(whoOf(storedResult(json))));
    if (told.length === 0 || subject.uid === '' || !(await isThere(subject))) return;
    const known = new Map((await resultsOf(subject)).map(json => [resultKey(storedResult(json)), secondsOf(json)]));
    const newer = told.filter(json => secondsOf(json) > (known.get(resultKey(storedResult(json))) ?? -1));
    if (newer.length > 0) writer.add(subject, newer.map((json): ReportResult => storedResult(json)));
  }

  async function isThere(subject: ReportSubject): Promise<boolean> {
    const kind = kindOf(subject, resources);
    if (kind === undefined) return false;
    try {
      return textOf(ownPath(await client.get(refOf(subject, kind)), 'metadata', 'uid')) === subject.uid;
    } catch (error) {
      // What may not be read may well be there: its report goes with it.
      if (hasStatus(error, 403)) return true;
      if (hasStatus(error, 404)) return false;
      throw error;
    }
  }

  async function resultsOf({namespace, uid}: ReportSubject): Promise<readonly JsonObject[]> {
    const {resource} = namespace === '' ? joint.cluster : joint.namespaced;
    try {
      return storedResults(await client.get({group: joint.group, version: joint.version, resource, namespace, name: reportName(joint, uid)}));
    } catch (error) {
      if (hasStatus(error, 404)) return [];
      throw error;
    }
  }
}

async function listed(client: KubeClient, collection: Parameters<KubeClient['list']>[0]): Promise<{readonly items: readonly JsonObject[]}> {
  try {
    return await client.list(collection, {labelSelector: `${managedByLabel}=kyverno`});
  } catch (error) {
    // An installation without the definitions has none of them.
    if (hasStatus(error, 404) || hasStatus(error, 403)) return {items: []};
    throw error;
  }
}
