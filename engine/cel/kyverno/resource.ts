import type {CollectionQuery} from '../../context-loader.js';
import {stringifyJson} from '../../json/stringify.js';
import type {JsonObject} from '../../json/types.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {anyType, dynType, mapOf, stringType, type Type} from '../types/type.js';
import type {Value} from '../values/value.js';
import {invalid, objectArgument, textPairs} from './arguments.js';
import {ask} from './ask.js';
import {type ResourceContext, resourceContext} from './contexts.js';
import {declare, type Signature} from './declare.js';
import {GvrValue, gvrType, parseApiVersion, parsePlural} from './group-version.js';

/** Shared with mutate-existing, which demands this very type of its target expression. */
export const resourceMapType: Type = mapOf(stringType, anyType);
const labelsType = mapOf(stringType, stringType);
/** Any map goes in; what is no string key is told at run time. */
const bodyType = mapOf(stringType, dynType);

type Address = Omit<CollectionQuery, 'namespace'>;

/** The leading arguments that name a resource, and how many they are. */
interface Addressing {
  readonly id: string;
  readonly params: readonly Type[];
  readonly read: (args: readonly Value[]) => Address;
}

const byName: Addressing = {
  id: 'plural',
  params: [stringType, stringType],
  read([apiVersion, plural]) {
    return {...parseApiVersion(apiVersion as string), ...parsePlural(plural as string)};
  },
};
const byGvr: Addressing = {
  id: 'gvr',
  params: [gvrType.type],
  read: ([gvr]) => (gvr as GvrValue).gvr,
};

/**
 * The variable `resource`: objects of the API server. A policy of a namespace has its own signatures, without namespace:
 * it cannot name another one than the one that `resource` is bound to.
 */
export function resourceLibrary({namespaced}: {readonly namespaced: boolean}): Library {
  const place: readonly Type[] = namespaced ? [] : [stringType];
  const gets = [byName, byGvr].map(addressing => getSignature(addressing, place));
  const lists = [byName, byGvr].flatMap(addressing => [
    listSignature(addressing, place, false),
    listSignature(addressing, place, true),
  ]);
  const posts = [postSignature(place), ...(namespaced ? [] : [postSignature([])])];
  return {
    name: namespaced ? 'kyverno.resource.namespaced' : 'kyverno.resource',
    variables: {resource: resourceContext.type},
    functions: [
      ...declare('resource', ['Get', 'get'], gets),
      ...declare('resource', ['List', 'list'], lists),
      ...declare('resource', ['Post', 'post'], posts),
      ...declare('resource', ['ToGVR', 'toGVR', 'toGvr'], [toGvr]),
    ],
  };
}

function getSignature(addressing: Addressing, place: readonly Type[]): Signature {
  const failure = 'failed to get resource';
  return {
    id: `${addressing.id}${suffix(place)}`,
    receiver: true,
    params: [resourceContext.type, ...addressing.params, ...place, stringType],
    result: resourceMapType,
    host: true,
    call(host: CelHost, self: ResourceContext, ...args: Value[]) {
      const query = {...collectionOf(self, {addressing, place, args, failure}), name: args.at(-1) as string};
      if (query.name === '') throw new CelError(`${failure}: name is required`);
      const load = (options: {readonly deadline: number}) => host.loader.resourceGet(query, options);
      return (
        ask<JsonObject | undefined>(host, {failure, key: ['resource.get', ...keyOf(query), query.name], load}) ?? null
      );
    },
  };
}

function listSignature(addressing: Addressing, place: readonly Type[], labelled: boolean): Signature {
  const failure = 'failed to list resource';
  const size = addressing.params.length + place.length;
  return {
    id: `${addressing.id}${suffix(place)}${labelled ? '_labels' : ''}`,
    receiver: true,
    params: [resourceContext.type, ...addressing.params, ...place, ...(labelled ? [labelsType] : [])],
    result: resourceMapType,
    host: true,
    call(host: CelHost, self: ResourceContext, ...args: Value[]) {
      const labels = labelled ? labelPairs(args[size]!, size) : [];
      const query = {...collectionOf(self, {addressing, place, args, failure}), labels};
      const load = (options: {readonly deadline: number}) => host.loader.resourceList(query, options);
      return ask(host, {failure, key: ['resource.list', ...keyOf(query), ...labels.flat()], load});
    },
  };
}

function postSignature(place: readonly Type[]): Signature {
  const failure = 'failed to create resource';
  return {
    id: `plural${suffix(place)}`,
    receiver: true,
    params: [resourceContext.type, ...byName.params, ...place, bodyType],
    result: resourceMapType,
    host: true,
    call(host: CelHost, self: ResourceContext, ...args: Value[]) {
      const object = objectArgument(args.at(-1)!, args.length - 1, host.budget);
      const query = {...collectionOf(self, {addressing: byName, place, args, failure}), object};
      const load = (options: {readonly deadline: number}) => host.loader.resourcePost(query, options);
      return ask(host, {failure, key: ['resource.post', ...keyOf(query), stringifyJson(object)], load});
    },
  };
}

const toGvr: Signature = {
  id: 'kind',
  receiver: true,
  params: [resourceContext.type, stringType, stringType],
  result: gvrType.type,
  host: true,
  call(host: CelHost, _self: ResourceContext, apiVersion: string, kind: string) {
    const failure = 'failed to map kind to resource';
    const load = (options: {readonly deadline: number}) => host.loader.resourceOfKind(apiVersion, kind, options);
    const gvr = ask(host, {failure, key: ['resource.togvr', apiVersion, kind], load});
    if (gvr === undefined)
      throw new CelError(
        `${failure}: no matches for kind "${kind.slice(0, 100)}" in version "${apiVersion.slice(0, 100)}"`,
      );
    return new GvrValue(gvr);
  },
};

interface Place {
  readonly addressing: Addressing;
  readonly place: readonly Type[];
  readonly args: readonly Value[];
  readonly failure: string;
}

function collectionOf(self: ResourceContext, {addressing, place, args, failure}: Place): CollectionQuery {
  let address: Address;
  try {
    address = addressing.read(args);
  } catch (thrown) {
    if (thrown instanceof CelError) throw new CelError(`${failure}: ${thrown.message}`);
    throw thrown;
  }
  const given = place.length > 0 ? (args[addressing.params.length] as string) : '';
  return {...address, namespace: self.namespace ?? given};
}

const labelKey = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/;

/** A selector is put together from them: nothing but labels may come in. */
function labelPairs(value: Value, at: number): ReadonlyArray<readonly [string, string]> {
  const pairs = textPairs(value, at);
  for (const [key, text] of pairs) {
    if (key.length > 317 || text.length > 63 || !labelKey.test(key) || !labelValue.test(text)) {
      throw invalid(at, `${JSON.stringify(`${key}=${text}`.slice(0, 200))} is no label`);
    }
  }
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
}

function keyOf({group, version, resource, subresource = '', namespace}: CollectionQuery): string[] {
  return [group, version, resource, subresource, namespace];
}

function suffix(place: readonly Type[]): string {
  return place.length > 0 ? '_namespace' : '';
}
