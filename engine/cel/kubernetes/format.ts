import {fn, global, method} from '../library/declare.js';
import type {Library} from '../library/library.js';
import {listOf, opaque, optionalOf, stringType} from '../types/type.js';
import {OpaqueValue, Optional} from '../values/value.js';
import {formats, type NamedFormat} from './formats.js';

const type = opaque('kubernetes.NamedFormat');

export class FormatValue extends OpaqueValue {
  readonly typeName = 'kubernetes.NamedFormat';

  constructor(readonly format: NamedFormat) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.format.name === this.format.name;
  }

  override text(): string {
    return this.format.name;
  }
}

const values: ReadonlyMap<string, FormatValue> = new Map(
  [...formats].map(([name, format]) => [name, new FormatValue(format)]),
);

export const formatLibrary: Library = {
  name: 'kubernetes.format',
  functions: [
    fn('format.named', global('format-named', [[stringType], optionalOf(type)], named)),
    fn(
      'validate',
      method('format-validate', [[type, stringType], optionalOf(listOf(stringType))], validate, validateCost),
    ),
    ...[...values].map(([name, value]) =>
      fn(
        `format.${name}`,
        global(`format.${name}`, [[], type], () => value),
      ),
    ),
  ],
};

function named(name: string): Optional {
  const value = values.get(name);
  return value ? new Optional(value) : Optional.none;
}

function validate({format}: FormatValue, text: string): Optional {
  const faults = format.check(text);
  return faults.length === 0 ? Optional.none : new Optional(faults);
}

function validateCost({format}: FormatValue, text: string): number {
  return Math.ceil((1 + text.length) / 10) * Math.ceil(format.patternLength / 4);
}
