import type {Library} from '../library/library.js';
import type {Value} from '../values/value.js';
import {constantContexts, ResourceContext} from './contexts.js';
import {type GeneratorContext, generatorLibrary} from './generator.js';
import {globalContextLibrary} from './global-context.js';
import {gzipLibrary} from './gzip.js';
import {hashLibrary} from './hash.js';
import {httpLibrary} from './http.js';
import {imageLibrary} from './image.js';
import {imageDataLibrary} from './image-data.js';
import {imageVerifyLibrary} from './image-verify.js';
import {jsonLibrary} from './json.js';
import {randomLibrary} from './random.js';
import {resourceLibrary} from './resource.js';
import {roundLibrary} from './round.js';
import {timeLibrary} from './time.js';
import {transformLibrary} from './transform.js';
import {userLibrary} from './user.js';
import {x509Library} from './x509.js';
import {yamlLibrary} from './yaml.js';

export interface KyvernoLibraryOptions {
  readonly type: 'validating' | 'mutating' | 'generating' | 'deleting' | 'imageValidating';
  /** Of a Namespaced kind. */
  readonly namespaced: boolean;
}

/** Kyverno's own functions in expressions of one kind of policy. */
export function kyvernoLibraries({type, namespaced}: KyvernoLibraryOptions): readonly Library[] {
  return [
    hashLibrary,
    roundLibrary,
    jsonLibrary,
    yamlLibrary,
    randomLibrary,
    timeLibrary,
    transformLibrary,
    gzipLibrary,
    httpLibrary,
    imageLibrary,
    imageDataLibrary,
    resourceLibrary({namespaced}),
    globalContextLibrary({namespaced}),
    ...(type === 'imageValidating' ? [imageVerifyLibrary] : [x509Library]),
    ...(type === 'generating' || type === 'deleting' ? [] : [userLibrary]),
    ...(type === 'generating' ? [generatorLibrary({namespaced})] : []),
  ];
}

export interface KyvernoContextOptions {
  /** Of the policy, when it is of a Namespaced kind. */
  readonly namespace?: string | undefined;
  /** Where `generator` collects; only of generating policies. */
  readonly generator?: GeneratorContext | undefined;
}

/** Values of the variables that `kyvernoLibraries` declares. */
export function kyvernoContexts({namespace, generator}: KyvernoContextOptions): Readonly<Record<string, Value>> {
  return {
    ...constantContexts,
    resource: new ResourceContext(namespace),
    ...(generator !== undefined && {generator}),
  };
}
