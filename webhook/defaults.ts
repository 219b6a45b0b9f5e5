import type {RequestFilters, RoleLookup} from './types.js';

const nobody = Object.freeze({roles: Object.freeze([]), clusterRoles: Object.freeze([])});

/** Where no bindings are known, as without a cluster. */
export const noRoles: RoleLookup = {rolesOf: () => nobody};

export const noFilters: RequestFilters = {excludesUser: () => false, excludesResource: () => false};
