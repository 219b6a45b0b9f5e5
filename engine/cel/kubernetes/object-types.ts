import {type JsonObject, setOwn} from '../../json/types.js';
import {CelError} from '../errors.js';
import type {Library, ObjectDeclaration} from '../library/library.js';
import {dynType, objectType, stringType, type Type} from '../types/type.js';
import {equals, isMap, mapEntries, toJson} from '../values/index.js';
import {ObjectValue, type Value} from '../values/value.js';

/** `Object{…}`, `Object.spec{…}`: fields of any name and any type, in written order. */
export class MessageValue extends ObjectValue {
  readonly fields: ReadonlyMap<string, Value>;

  constructor(
    readonly typeName: string,
    fields: ReadonlyArray<readonly [string, Value]>,
  ) {
    super();
    this.fields = new Map(fields);
  }

  get(field: string): Value | undefined {
    return this.fields.get(field);
  }

  has(field: string): boolean {
    return this.fields.has(field);
  }

  override equals(other: ObjectValue): boolean {
    if (!(other instanceof MessageValue) || other.typeName !== this.typeName) return false;
    if (other.fields.size !== this.fields.size) return false;
    for (const [name, value] of this.fields) {
      const twin = other.fields.get(name);
      if (twin === undefined || !equals(value, twin)) return false;
    }
    return true;
  }

  override toJson(): JsonObject {
    const json: JsonObject = {};
    for (const [name, value] of this.fields) setOwn(json, name, toJson(value));
    return json;
  }
}

/** `JSONPatch{op: …, path: …}`: an RFC 6902 operation. Texts that are not set are empty. */
export class JsonPatchValue extends ObjectValue {
  readonly typeName = 'JSONPatch';
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** `undefined`: not set. */
  readonly value: Value | undefined;

  constructor(fields: ReadonlyArray<readonly [string, Value]>) {
    super();
    const given = new Map(fields);
    this.op = textOf(given, 'op');
    this.path = textOf(given, 'path');
    this.from = textOf(given, 'from');
    this.value = given.get('value');
  }

  get(field: string): Value | undefined {
    switch (field) {
      case 'op':
      case 'path':
      case 'from':
      case 'value':
        return this[field];
      default:
        return undefined;
    }
  }

  has(field: string): boolean {
    const value = this.get(field);
    return value !== undefined && value !== '';
  }

  override equals(other: ObjectValue): boolean {
    if (!(other instanceof JsonPatchValue)) return false;
    if (other.op !== this.op || other.path !== this.path || other.from !== this.from) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equals(this.value, other.value);
  }

  override toJson(): JsonObject {
    return {
      op: this.op,
      path: this.path,
      ...(this.from !== '' && {from: this.from}),
      ...(this.value !== undefined && {value: toJson(this.value)}),
    };
  }
}

function textOf(fields: ReadonlyMap<string, Value>, name: string): string {
  const value = fields.get(name) ?? '';
  if (typeof value === 'string') return value;
  throw new CelError(`unexpected type for JSONPatchType '${name}' field`);
}

/**
 * The checker takes any name for the type of a part. Here each has to be the path to its place: `Object.spec` is the type
 * of `spec`, `Object.spec.containers` that of its containers. Returns what is wrong, in the API server's words.
 */
export function typeMismatches(value: Value, path = value instanceof MessageValue ? value.typeName : ''): string[] {
  if (value instanceof MessageValue) {
    const own =
      value.typeName === path
        ? []
        : [
            `unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
          ];
    return [...own, ...[...value.fields].flatMap(([name, field]) => typeMismatches(field, `${path}.${name}`))];
  }
  if (Array.isArray(value)) return value.flatMap((item: Value) => typeMismatches(item, path));
  if (isMap(value)) return [...mapEntries(value)].flatMap(([, item]) => typeMismatches(item, path));
  return [];
}

const jsonPatchFields: Readonly<Record<string, Type>> = {
  op: stringType,
  path: stringType,
  from: stringType,
  value: dynType,
};

const jsonPatch: ObjectDeclaration = {
  name: 'JSONPatch',
  // The API server gives every other name a type without a name, which nothing fits.
  field: name => (Object.hasOwn(jsonPatchFields, name) ? jsonPatchFields[name] : objectType('')),
  fieldNames: () => Object.keys(jsonPatchFields),
  construct: fields => new JsonPatchValue(fields),
};

function objectNamed(name: string): ObjectDeclaration | undefined {
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined;
  return {name, field: () => dynType, construct: fields => new MessageValue(name, fields)};
}

/** Types that mutations are written with. */
export const objectTypes: Library = {
  name: 'kubernetes.mutation.types',
  objects: [jsonPatch],
  resolveObject: objectNamed,
};
