import {deepEqual} from '../../engine/json/equal.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {AdmissionCore, Feature} from '../feature.js';
import {timestamp} from '../status/conditions.js';
import {writeStatus} from '../status/write-status.js';
import {restartNeed, settingsStatus} from './settings-status.js';
import {configurationApi, configurationName, configurationRef} from './start-configuration.js';

const key = configurationApi.resource;

/** Settings from the KyvernoConfiguration: every replica follows it, the leader tells in its status what came of it. */
export function createSettingsFeature(core: AdmissionCore): Feature {
  const {client, clock, log, manager, settings, replicas} = core;
  /** As last taken over: status writes change nothing. */
  let taken: JsonObject | undefined;
  let need = '';

  const wanted = () => restartNeed(replicas(), {own: settings.atStart(), wanted: settings.wantedAtStart()});

  function takeOver(object: JsonObject | undefined): void {
    const spec = object === undefined ? undefined : own(object, 'spec');
    const next = isObject(spec) ? spec : undefined;
    if (deepEqual(next ?? null, taken ?? null) && (next !== undefined || !settings.hasResource)) return;
    taken = next;
    const rejected = settings.setResource(object);
    for (const {key: name, reason} of rejected) log.warn(`KyvernoConfiguration key ${name} is ignored: ${reason}`);
    log.info(next === undefined ? 'there is no KyvernoConfiguration any more' : 'KyvernoConfiguration taken over', {rejected: rejected.length});
    const {keys} = wanted();
    if (keys.length > 0) log.warn(`restart needed for ${keys.join(', ')}: they are read at the start`);
  }

  async function reconcile(name: string): Promise<void> {
    if (name !== configurationName) {
      log.warn(`KyvernoConfiguration ${name} is ignored: there is one, named ${configurationName}`);
      return;
    }
    const object = manager.lister(key).get(name);
    takeOver(object);
    if (object === undefined || !core.isLeading()) return;
    await writeStatus(
      client,
      configurationRef,
      current => {
        const generation = ownPath(current, 'metadata', 'generation');
        if (ownPath(object, 'metadata', 'generation') !== generation) return undefined;
        return settingsStatus(current, {
          generation: typeof generation === 'number' ? generation : 0,
          now: timestamp(clock.now()),
          effective: settings.effective(),
          rejected: settings.rejected(),
          restart: wanted(),
        });
      },
      {cached: object},
    );
  }

  function touch(): void {
    if (core.isLeading() && manager.lister(key).get(configurationName) !== undefined) manager.enqueue(key, configurationName);
  }

  settings.subscribe(touch);

  return {
    name: 'settings',
    registrations: [{key, ...configurationApi, namespaced: false, optional: true, reconcile}],
    setLeading: touch,
    start() {
      // What was there at the start may have gone before anybody watched.
      if (manager.lister(key).get(configurationName) === undefined && settings.hasResource) takeOver(undefined);
    },
    onReplicas() {
      const now = JSON.stringify(wanted());
      if (now === need) return;
      need = now;
      touch();
    },
  };
}
