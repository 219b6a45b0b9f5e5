import type {Clock} from '../../adapters/clock.js';
import {isObject, ownPath} from '../../engine/json/types.js';
import {allowed} from '../answers.js';
import type {Handler} from '../context.js';

export const lastRequestAnnotation = 'kyverno.io/last-request-time';
const pointer = `/metadata/annotations/${lastRequestAnnotation.replaceAll('/', '~1')}`;

/**
 * The operator's proof that its webhooks are called: a Lease that carries the annotation gets this server's time in it.
 * Others with the same label stay as they are.
 */
export function verifyLeaseHandler(clock: Clock): Handler {
  return context => {
    const annotations = ownPath(context.request.object, 'metadata', 'annotations');
    if (!isObject(annotations) || !Object.hasOwn(annotations, lastRequestAnnotation)) return allowed;
    const value = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    return {allowed: true, patch: JSON.stringify([{op: 'replace', path: pointer, value}])};
  };
}
