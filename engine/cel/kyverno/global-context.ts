import type {LoadOptions} from '../../context-loader.js';
import type {Json} from '../../json/types.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {dynType, stringType} from '../types/type.js';
import type {Value} from '../values/value.js';
import {ask} from './ask.js';
import {globalContext} from './contexts.js';
import {declare, type Signature} from './declare.js';

const failure = 'failed to get global reference';

/**
 * The variable `globalContext`: what GlobalContextEntries hold, `null` for an entry that there is not. Refused in policies of a
 * namespace, whose authors may not see the cluster's data.
 */
export function globalContextLibrary({namespaced}: {readonly namespaced: boolean}): Library {
  const read = (host: CelHost, name: string, projection: string): Value => {
    if (namespaced) throw new CelError(`${failure}: globalContext.* is not allowed in namespaced policies`);
    const wanted = projection === '' ? undefined : projection;
    const load = (options: LoadOptions) => host.loader.globalReference(name, wanted, options);
    return ask<Json | undefined>(host, {failure, key: ['global', name, projection], load}) ?? null;
  };
  const self = globalContext.type;
  const signatures: readonly Signature[] = [
    {
      id: 'name',
      receiver: true,
      params: [self, stringType],
      result: dynType,
      host: true,
      call: (host: CelHost, _self: Value, name: string) => read(host, name, ''),
    },
    {
      id: 'name_projection',
      receiver: true,
      params: [self, stringType, stringType],
      result: dynType,
      host: true,
      call: (host: CelHost, _self: Value, name: string, projection: string) => read(host, name, projection),
    },
  ];
  return {
    name: namespaced ? 'kyverno.globalContext.namespaced' : 'kyverno.globalContext',
    variables: {globalContext: self},
    functions: declare('globalContext', ['Get', 'get'], signatures),
  };
}
