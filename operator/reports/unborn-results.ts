import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {metadataOnly} from '../../adapters/kube/metadata-only.js';
import {objectPath} from '../../adapters/kube/paths.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, ownPath} from '../../engine/json/types.js';
import {createWorkQueue} from '../manager/work-queue.js';
import type {AdmissionFinding} from './admission-results.js';
import type {ReportSubject} from './merge-report.js';
import type {ReportMetrics} from './report-metrics.js';
import type {ReportResult} from './report-result.js';

export interface UnbornOptions {
  readonly client: Pick<KubeClient, 'request'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<ReportMetrics, 'dropped'>;
  readonly onBorn: (subject: ReportSubject, results: readonly ReportResult[], time: number) => void;
  /** Objects that are waited for at most; results on further ones are dropped and counted. */
  readonly most: number;
}

/**
 * Results of mutation at creation: the object has no uid until it is stored, and a report belongs to a uid. They wait for the review
 * that follows or, where none comes to this replica, for one look at the stored object.
 */
export interface UnbornResults {
  keep(finding: AdmissionFinding): void;
  /** A review names the object with its uid. */
  born(subject: ReportSubject): void;
  stop(): Promise<void>;
}

interface Waiting extends Omit<AdmissionFinding, 'results'> {
  readonly since: number;
  results: readonly ReportResult[];
  /** Looks that failed. */
  failures: number;
}

const lookMs = 2_000;
const looksAtOnce = 4;
const mostFailures = 5;
/** Clocks of API server and replica may differ by this; times of creation are whole seconds. */
const skewMs = 5_000;

export function createUnbornResults({client, clock, log, metrics, onBorn, most}: UnbornOptions): UnbornResults {
  const waiting = new Map<string, Waiting>();
  const looks = createWorkQueue({clock, concurrency: looksAtOnce, firstRetryMs: 1_000, maxRetryMs: 10_000, run: look, onError: (key, error) => log.v(1, `${key} cannot be read for its report`, {error: String(error)})});

  function tell(key: string, {subject, results, time}: Waiting, uid: string): void {
    if (waiting.delete(key)) onBorn({...subject, uid}, results, time);
  }

  async function look(key: string): Promise<void> {
    const entry = waiting.get(key);
    if (entry === undefined) return;
    const {resource, subject, since} = entry;
    const early = since + lookMs - clock.now();
    if (early > 0) return looks.addAfter(key, early);
    const path = objectPath({...resource, namespace: subject.namespace, name: subject.name});
    try {
      const {body} = await client.request({method: 'GET', path, accept: metadataOnly});
      const metadata = isObject(body) ? ownPath(body, 'metadata') : undefined;
      const uid = textOf(ownPath(metadata, 'uid'));
      // One of that name that was there before has nothing to do with the request.
      if (uid !== '' && Date.parse(textOf(ownPath(metadata, 'creationTimestamp'))) > since - skewMs) tell(key, entry, uid);
    } catch (error) {
      // Refused by somebody after us, gone again, or not ours to read.
      if (!hasStatus(error, 404) && !hasStatus(error, 403)) {
        entry.failures += 1;
        if (entry.failures < mostFailures) throw error;
        metrics.dropped.inc({reason: 'object-unreadable'});
      }
    }
    waiting.delete(key);
  }

  return {
    keep({resource, subject, results, time}) {
      const key = keyOf(subject);
      const known = waiting.get(key);
      if (known !== undefined) {
        known.results = [...known.results, ...results];
        return;
      }
      if (waiting.size >= most) {
        metrics.dropped.inc({reason: 'queue-full'});
        return;
      }
      waiting.set(key, {resource, subject, since: clock.now(), results, time, failures: 0});
      looks.addAfter(key, lookMs);
    },
    born(subject) {
      const key = keyOf(subject);
      const entry = waiting.get(key);
      if (entry !== undefined) tell(key, entry, subject.uid);
    },
    async stop() {
      await looks.stop();
      if (waiting.size > 0) metrics.dropped.inc({reason: 'stopped'}, waiting.size);
      waiting.clear();
    },
  };
}

function keyOf({apiVersion, kind, namespace, name}: ReportSubject): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}
