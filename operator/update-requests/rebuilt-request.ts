import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';
import type {AdmissionUser, EngineRequest, Operation} from '../../engine/types.js';
import {existingObjectRequest} from '../requests/existing-object.js';

/** What is kept of an admission request: everything but the objects, or with what of them the rules read. */
export interface KeptRequest {
  readonly operation: Operation;
  readonly request: JsonObject;
  readonly user: AdmissionUser | undefined;
  /** Version of the trigger before; empty when not known. */
  readonly replaces: string;
}

/** The request as its review showed it, of a trigger that can be read; what the review alone knew comes from what was kept. */
export function requestOnLive(live: JsonObject, kind: KindInfo, kept: KeptRequest): EngineRequest {
  const {operation, request, user} = kept;
  const object = asReviewed({apiVersion: apiVersionOf(kind), kind: kind.kind, ...live}, kept);
  const base = existingObjectRequest(object, kind, operation);
  return {...base, uid: uidOf(request), user, oldObject: operation === 'CREATE' ? undefined : (objectAt(request, 'oldObject') ?? base.oldObject), raw: {...base.raw, ...request, operation}};
}

/** The same of a trigger that is gone: nothing but what was kept tells of it. */
export function requestOnGone(kind: KindInfo, {operation, request, user}: KeptRequest): EngineRequest {
  const gone: JsonObject = {apiVersion: apiVersionOf(kind), kind: kind.kind, ...(objectAt(request, 'oldObject') ?? objectAt(request, 'object'))};
  const base = existingObjectRequest(gone, kind, operation);
  return {...base, uid: uidOf(request), user, raw: {...base.raw, ...request, operation}};
}

/** A review of an update shows the version that it replaces: the new one is given when it is stored. */
function asReviewed(live: JsonObject, {operation, replaces}: KeptRequest): JsonObject {
  if (operation !== 'UPDATE' || replaces === '') return live;
  return {...live, metadata: {...objectAt(live, 'metadata'), resourceVersion: replaces}};
}

function uidOf(request: JsonObject): string {
  return textOf(own(request, 'uid'));
}

function objectAt(from: JsonObject, key: string): JsonObject | undefined {
  const value = own(from, key);
  return isObject(value) ? value : undefined;
}
