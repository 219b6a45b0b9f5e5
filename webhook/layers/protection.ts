import {denied, failed} from '../answers.js';
import {errorPolicy} from '../routes.js';
import {errorText, type Layer} from '../context.js';
import type {RequestFilters} from '../types.js';

export const protectionText = 'A kyverno managed resource can only be modified by kyverno';

/** Keeps objects that the operator manages out of others' hands, where that is switched on. */
export function protection(filters: () => RequestFilters): Layer {
  return (context, next) => {
    const {protects} = filters();
    if (protects === undefined) return next(context);
    let protectedObject: boolean;
    try {
      protectedObject = protects(context.engineRequest!);
    } catch (error) {
      return failed(errorPolicy(context.route), `failed to judge the protection of the resource: ${errorText(error)}`);
    }
    return protectedObject ? denied(protectionText) : next(context);
  };
}
