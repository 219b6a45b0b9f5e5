import {parseServiceAccount} from '../../context/service-account.js';
import type {Json} from '../../json/types.js';
import type {Library, ObjectDeclaration} from '../library/library.js';
import {objectType, stringType} from '../types/type.js';
import {ObjectValue, type Value} from '../values/value.js';
import {declare} from './declare.js';

const typeName = 'user.ServiceAccount';

class ServiceAccountValue extends ObjectValue {
  readonly typeName = typeName;

  constructor(
    readonly namespace: string,
    readonly name: string,
  ) {
    super();
  }

  get(field: string): Value | undefined {
    if (field === 'Name') return this.name;
    return field === 'Namespace' ? this.namespace : undefined;
  }

  /** As for every struct: a text that is empty is not set. */
  has(field: string): boolean {
    const value = this.get(field);
    return value !== undefined && value !== '';
  }

  override equals(other: ObjectValue): boolean {
    return other instanceof ServiceAccountValue && other.name === this.name && other.namespace === this.namespace;
  }

  override toJson(): Json {
    return {Name: this.name, Namespace: this.namespace};
  }
}

const serviceAccount: ObjectDeclaration = {
  name: typeName,
  field: name => (name === 'Name' || name === 'Namespace' ? stringType : undefined),
  fieldNames: () => ['Name', 'Namespace'],
};

/** Namespace and name of the service account behind a user name. */
export const userLibrary: Library = {
  name: 'kyverno.user',
  objects: [serviceAccount],
  functions: declare(
    'user',
    ['parseServiceAccount', 'user.parseServiceAccount'],
    [
      {
        id: 'string',
        receiver: false,
        params: [stringType],
        result: objectType(typeName),
        call(username: string) {
          const {namespace, name} = parseServiceAccount(username);
          return new ServiceAccountValue(namespace, name);
        },
      },
    ],
  ),
};
