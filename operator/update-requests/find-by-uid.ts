import {textOf} from '../../engine/json/text.js';
import {ownPath} from '../../engine/json/types.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {NamedObject} from './trigger.js';

/** The object that a request names by its uid alone, as the peer does of cluster-scoped ones; `undefined`: it is gone. */
export async function findByUid(client: KubeClient, trigger: NamedObject, {group, version, resource, namespaced}: KindInfo): Promise<NamedObject | undefined> {
  let found: NamedObject | undefined;
  await client.list(
    {group, version, resource, namespace: namespaced ? trigger.namespace : ''},
    {
      onPage(items) {
        for (const item of items) {
          if (textOf(ownPath(item, 'metadata', 'uid')) !== trigger.uid) continue;
          found = {...trigger, name: textOf(ownPath(item, 'metadata', 'name')), namespace: textOf(ownPath(item, 'metadata', 'namespace'))};
        }
      },
    },
  );
  return found;
}
