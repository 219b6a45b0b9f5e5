import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';
import {type NamedObject, refOf} from '../update-requests/trigger.js';
import {MissingRight} from './work-errors.js';

/** Reads an object as it is; `undefined` where it is gone, or another one has its name. */
export type ReadObject = (named: NamedObject, kind: KindInfo) => Promise<JsonObject | undefined>;

export function objectReader(client: Pick<KubeClient, 'get'>): ReadObject {
  return async (named, kind) => {
    try {
      const live = await client.get(refOf(named, kind));
      const uid = textOf(ownPath(live, 'metadata', 'uid'));
      if (named.uid !== '' && uid !== named.uid) return undefined;
      return {apiVersion: apiVersionOf(kind), kind: kind.kind, ...live};
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      if (hasStatus(error, 403)) throw new MissingRight('get', kind.group, kind.resource, '');
      throw error;
    }
  };
}
