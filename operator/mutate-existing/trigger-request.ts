import {hasStatus} from '../../adapters/kube/kube-error.js';
import {textOf} from '../../engine/json/text.js';
import {ownPath} from '../../engine/json/types.js';
import type {EngineRequest} from '../../engine/types.js';
import type {Core} from '../feature.js';
import {requestOnGone, requestOnLive} from '../update-requests/rebuilt-request.js';
import {isToldOnly, toldRequest} from '../update-requests/told-request.js';
import {isStill, StillThere, TriggerMissing} from '../update-requests/too-early.js';
import {kindOf, type NamedObject, refOf} from '../update-requests/trigger.js';
import type {RequestedWork} from '../update-requests/update-request.js';

/** As what request rules see a trigger: as the one that led to the work, or as an update of what is there. */
export async function triggerRequest({client, resources}: Pick<Core, 'client' | 'resources'>, trigger: NamedObject, work: RequestedWork | undefined): Promise<EngineRequest> {
  const kept = {operation: work?.operation ?? 'UPDATE', request: work?.request ?? {}, user: work?.user, replaces: work?.replaces ?? ''} as const;
  if (work !== undefined && isToldOnly(kept)) return toldRequest(kept, resources());
  const kind = kindOf(trigger, resources());
  if (kind === undefined) throw new TriggerMissing(trigger);
  const live = () => client.get(refOf(trigger, kind)).catch(absent);
  if (work !== undefined && kept.operation === 'DELETE') {
    if (trigger.uid !== '' && isStill(await live(), trigger)) throw new StillThere(trigger);
    const request = requestOnGone(kind, kept);
    // Expressions that look for targets know what went as `object`, too.
    return work.type === 'cel-mutate' ? {...request, object: request.oldObject} : request;
  }
  const found = await live();
  if (found === undefined || (trigger.uid !== '' && textOf(ownPath(found, 'metadata', 'uid')) !== trigger.uid)) throw new TriggerMissing(trigger);
  return requestOnLive(found, kind, kept);
}

function absent(error: unknown): undefined {
  if (!hasStatus(error, 404)) throw error;
}
