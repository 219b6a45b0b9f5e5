import type {ResourceMap} from '../../engine/resource-map.js';
import {failed} from '../answers.js';
import {errorPolicy} from '../routes.js';
import type {Layer} from '../context.js';

/** A subresource is judged as its parent's kind: `pods/exec` is a Pod. */
export function topLevelKind(resources: () => ResourceMap): Layer {
  return (context, next) => {
    const {request} = context;
    if (request.subResource === '') {
      context.topLevelKind = request.kind;
      return next(context);
    }
    const {group, version, resource} = request.resource;
    const info = resources().kindOf(request.resource);
    if (info === undefined) {
      const name = group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`;
      return failed(errorPolicy(context.route), `failed to find the kind of resource ${name}`);
    }
    context.topLevelKind = {group: info.group, version: info.version, kind: info.kind};
    return next(context);
  };
}
