import type {Core} from '../feature.js';
import type {BackgroundPolicy} from '../update-requests/background-policy.js';
import {type NamedObject, shownObject} from '../update-requests/trigger.js';
import type {SyncResult} from './sync-result.js';

/** Log line, and Events where they are asked for, of what a run has written. */
export function createGenerateEvents({clock, config, events, log}: Pick<Core, 'clock' | 'config' | 'events' | 'log'>) {
  return (policy: BackgroundPolicy | undefined, trigger: NamedObject, {applied, removed}: SyncResult, started: number): void => {
    const changed = applied.filter(({outcome}) => outcome === 'created' || outcome === 'updated');
    if (changed.length === 0 && removed.length === 0) return;
    const parts = [...changed.map(({object, outcome}) => `${outcome} ${shownObject(object)}`), ...removed.map(object => `deleted ${shownObject(object)}`)];
    const rules = [...new Set(changed.map(({rule}) => rule))].join(', ');
    log.info(`background: policy ${policy?.ref.key ?? 'that is gone'} rule ${rules} on ${shownObject(trigger)}: ${parts.slice(0, 10).join(', ')}`, {ms: Math.round(clock.monotonic() - started)});
    if (policy === undefined || !config().generateSuccessEvents) return;
    const {ref, uid} = policy;
    for (const {object, rule} of changed) {
      const related = {apiVersion: object.apiVersion, kind: object.kind, namespace: object.namespace, name: object.name};
      events.emit({regarding: {apiVersion: ref.apiVersion, kind: ref.kind, namespace: ref.namespace, name: ref.name, uid}, related, reason: 'PolicyApplied', action: 'Resource Generated', note: 'resource generated', source: 'kyverno-generate'});
      events.emit({regarding: related, reason: 'PolicyApplied', action: 'None', note: `Created ${object.kind} ${object.name} as a result of applying policy ${ref.key}/${rule}`, source: 'kyverno-generate'});
    }
  };
}
