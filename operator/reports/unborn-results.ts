import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {objectPath} from '../../adapters/kube/paths.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, ownPath} from '../../engine/json/types.js';
import type {EngineRequest} from '../../engine/types.js';
import type {ReportSubject} from './merge-report.js';
import type {ReportMetrics} from './report-metrics.js';
import type {ReportResult} from './report-result.js';

export interface UnbornOptions {
  readonly client: Pick<KubeClient, 'request'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<ReportMetrics, 'dropped'>;
  readonly onBorn: (subject: ReportSubject, results: readonly ReportResult[]) => void;
  /** Objects that are waited for at most; results on further ones are dropped and counted. */
  readonly most: number;
}

/**
 * Results of mutation at creation: the object has no uid until it is stored, and a report belongs to a uid. They wait for the review
 * that follows or, where none comes to this replica, for one look at the stored object.
 */
export interface UnbornResults {
  keep(request: EngineRequest, subject: ReportSubject, results: readonly ReportResult[]): void;
  /** A review names the object with its uid. */
  born(subject: ReportSubject): void;
  stop(): void;
}

interface Waiting {
  readonly request: EngineRequest;
  readonly subject: ReportSubject;
  readonly since: number;
  results: readonly ReportResult[];
  cancel(): void;
}

const lookMs = 2_000;
const looksAtOnce = 4;
/** Clocks of API server and replica may differ by this; times of creation are whole seconds. */
const skewMs = 5_000;
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

export function createUnbornResults({client, clock, log, metrics, onBorn, most}: UnbornOptions): UnbornResults {
  const waiting = new Map<string, Waiting>();
  const due: Waiting[] = [];
  let looking = 0;

  function tell(entry: Waiting, uid: string): void {
    if (!waiting.delete(keyOf(entry.subject))) return;
    entry.cancel();
    onBorn({...entry.subject, uid}, entry.results);
  }

  async function look(entry: Waiting): Promise<void> {
    const {request, subject, since} = entry;
    const path = objectPath({...request.resource, namespace: subject.namespace, name: subject.name});
    try {
      const {body} = await client.request({method: 'GET', path, accept: metadataOnly});
      const metadata = isObject(body) ? ownPath(body, 'metadata') : undefined;
      const uid = textOf(ownPath(metadata, 'uid'));
      // One of that name that was there before has nothing to do with the request.
      if (uid !== '' && Date.parse(textOf(ownPath(metadata, 'creationTimestamp'))) > since - skewMs) tell(entry, uid);
    } catch (error) {
      // Refused by somebody after us, gone again, or not ours to read.
      if (!hasStatus(error, 404) && !hasStatus(error, 403)) log.v(1, `results on ${subject.kind} ${subject.namespace}/${subject.name} are not reported`, {error: String(error)});
    }
    waiting.delete(keyOf(subject));
  }

  function next(): void {
    while (looking < looksAtOnce) {
      const entry = due.shift();
      if (entry === undefined) return;
      if (waiting.get(keyOf(entry.subject)) !== entry) continue;
      looking += 1;
      void look(entry).then(() => {
        looking -= 1;
        next();
      });
    }
  }

  return {
    keep(request, subject, results) {
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
      const cancel = clock.schedule(lookMs, () => {
        due.push(entry);
        next();
      });
      const entry: Waiting = {request, subject, since: clock.now(), results, cancel};
      waiting.set(key, entry);
    },
    born(subject) {
      const entry = waiting.get(keyOf(subject));
      if (entry !== undefined) tell(entry, subject.uid);
    },
    stop() {
      for (const {cancel} of waiting.values()) cancel();
      waiting.clear();
      due.length = 0;
    },
  };
}

function keyOf({apiVersion, kind, namespace, name}: ReportSubject): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}
