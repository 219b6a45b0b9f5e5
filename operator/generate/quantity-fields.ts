import {textOf} from '../../engine/json/text.js';
import {isNumber, type Json, type JsonObject, own} from '../../engine/json/types.js';
import {compareQuantities, parseQuantity, type Quantity, quantityFromNumber} from '../../engine/values/quantity.js';
import {groupOf} from '../update-requests/trigger.js';

/** Whether the field at this path holds a quantity. Keys from the object down, indices of lists left out. */
export type IsQuantity = (path: readonly string[]) => boolean;

const requests = /(^| )resources (requests|limits) \S+$/;
const pods = /(^| )(resources (requests|limits) \S+|spec overhead \S+|emptyDir sizeLimit|resourceFieldRef divisor)$/;
const limits = /^spec limits (max|min|default|defaultRequest|maxLimitRequestRatio) \S+$/;

/** By group and kind; keys of a path with a space between. Custom resources are not here: they are stored as they were written. */
const places: ReadonlyMap<string, RegExp> = new Map([
  ['/ResourceQuota', /^spec hard \S+$/],
  ['/LimitRange', limits],
  ['/PersistentVolume', /^spec capacity \S+$/],
  ['/PersistentVolumeClaim', requests],
  ['/Pod', pods],
  ['/PodTemplate', pods],
  ['/ReplicationController', pods],
  ['apps/Deployment', pods],
  ['apps/ReplicaSet', pods],
  ['apps/DaemonSet', pods],
  ['apps/StatefulSet', pods],
  ['batch/Job', pods],
  ['batch/CronJob', pods],
  ['autoscaling/HorizontalPodAutoscaler', /^spec metrics \S+ target (value|averageValue)$/],
  ['node.k8s.io/RuntimeClass', /^overhead podFixed \S+$/],
]);

/** Servers store quantities in a form of their own: `0.5` as `500m`, `1024Mi` as `1Gi`, `10` as `"10"`. */
export function quantitiesOf(object: JsonObject): IsQuantity {
  const place = places.get(`${groupOf(textOf(own(object, 'apiVersion')))}/${textOf(own(object, 'kind'))}`);
  return place === undefined ? () => false : path => place.test(path.join(' '));
}

/** Whether both are quantities of one value. */
export function sameAmount(a: Json, b: Json): boolean {
  const [left, right] = [amountOf(a), amountOf(b)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}

function amountOf(value: Json): Quantity | undefined {
  if (typeof value === 'string') return parseQuantity(value);
  return isNumber(value) ? quantityFromNumber(value) : undefined;
}
