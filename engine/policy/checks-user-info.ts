import type {JsonObject} from '../json/types.js';
import {child, list} from './access.js';
import type {Scope} from './check-scope.js';
import {at} from './faults.js';
import {filtersOf} from './filters.js';

const userFields = ['roles', 'clusterRoles', 'subjects'];

/** Background scans know no user: match and exclude must not ask for one. */
export function checkUserInfo(rule: JsonObject, path: string, {faults, background}: Scope): void {
  if (!background) return;
  for (const key of ['match', 'exclude']) {
    for (const {filter, path: place} of filtersOf(child(rule, key), at(path, key))) {
      for (const field of userFields) {
        if (list(filter, field).length === 0) continue;
        const inner = at(place, field);
        faults.error(
          'background-user-info',
          inner,
          `only select variables are allowed in background mode. Set spec.background=false to disable background mode for this policy rule: invalid variable used at path: ${inner.replaceAll('.', '/')}`,
        );
      }
    }
  }
}
