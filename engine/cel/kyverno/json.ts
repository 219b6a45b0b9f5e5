import {parseJson} from '../../json/parse.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {dynType, stringType} from '../types/type.js';
import type {Value} from '../values/value.js';
import {textArgument} from './arguments.js';
import {chargeWritten} from './charge.js';
import {jsonContext} from './contexts.js';
import {declare} from './declare.js';
import {withDoubles} from './doubles.js';
import {goJson} from './go-json.js';

const self = jsonContext.type;

/** The variable `json`. All numbers that are read are doubles. */
export const jsonLibrary: Library = {
  name: 'kyverno.json',
  variables: {json: self},
  functions: [
    ...declare(
      'kyverno_json',
      ['unmarshal'],
      [
        {
          id: 'dyn',
          receiver: true,
          params: [self, dynType],
          result: dynType,
          host: true,
          call: (host: CelHost, _self: Value, text: Value) => read(host, textArgument(text, 0)),
        },
      ],
    ),
    ...declare(
      'kyverno_json',
      ['marshal'],
      [
        {
          id: 'dyn',
          receiver: true,
          params: [self, dynType],
          result: stringType,
          host: true,
          call(host: CelHost, _self: Value, value: Value) {
            chargeWritten(value, host.budget);
            return goJson(value);
          },
        },
      ],
    ),
  ],
};

function read(host: CelHost, text: string): Value {
  host.budget.step(1 + (text.length >>> 4));
  host.budget.bytes(text.length);
  try {
    return withDoubles(parseJson(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw new CelError(`json: ${thrown.message}`);
    throw thrown;
  }
}
