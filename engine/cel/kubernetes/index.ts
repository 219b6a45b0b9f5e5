import type {Library} from '../library/library.js';
import {authorizerLibrary} from './authorizer.js';
import {formatLibrary} from './format.js';
import {cidrLibrary, ipLibrary} from './ip.js';
import {jsonPatchLibrary} from './json-patch.js';
import {includesLibrary, listsLibrary} from './lists.js';
import {objectTypes} from './object-types.js';
import {quantityLibrary} from './quantity.js';
import {regexLibrary} from './regex.js';
import {semverLibrary} from './semver.js';
import {urlLibrary} from './url.js';

export {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type AuthorizationUser,
  type Authorizer,
  AuthorizerValue,
  ResourceCheck,
} from './authorizer-values.js';
export {authorizerLibrary};

/** Functions that every policy of Kubernetes has, but for those of `authorizer` and of mutations. */
export const kubernetesLibraries: readonly Library[] = [
  listsLibrary,
  regexLibrary,
  urlLibrary,
  ipLibrary,
  cidrLibrary,
  quantityLibrary,
  semverLibrary,
  formatLibrary,
];

/** The same in the API server of today, which is newer than the one whose libraries Kyverno's kinds have. */
export const apiServerLibraries: readonly Library[] = [...kubernetesLibraries, includesLibrary];

/** What mutations are written with: `Object{…}`, `JSONPatch{…}`, `jsonpatch.escapeKey`. */
export const mutationLibraries: readonly Library[] = [jsonPatchLibrary, objectTypes];
