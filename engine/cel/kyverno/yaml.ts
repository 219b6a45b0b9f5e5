import {parseYamlDocuments} from '../../yaml/index.js';
import {splitDocuments} from '../../yaml/split.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {dynType, stringType} from '../types/type.js';
import type {Value} from '../values/value.js';
import {yamlContext} from './contexts.js';
import {declare} from './declare.js';
import {withDoubles} from './doubles.js';

/** What a ConfigMap may hold at most. */
const maxLength = 1024 * 1024;

/** The variable `yaml`. */
export const yamlLibrary: Library = {
  name: 'kyverno.yaml',
  variables: {yaml: yamlContext.type},
  functions: declare(
    'yaml',
    ['parse'],
    [
      {
        id: 'string',
        receiver: true,
        params: [yamlContext.type, stringType],
        result: dynType,
        host: true,
        call: (host: CelHost, _self: Value, text: string) => read(host, text),
      },
    ],
  ),
};

/** The first document; `null` when there is none. */
function read(host: CelHost, text: string): Value {
  if (text.length > maxLength) throw new CelError(`yaml: text is longer than ${maxLength} characters`);
  // Reading YAML takes much longer than reading JSON.
  host.budget.step(1 + (text.length >>> 2));
  host.budget.bytes(text.length);
  for (const chunk of splitDocuments(text)) {
    const [first] = parseYamlDocuments(chunk.text, {maxLength});
    if (first === undefined) continue;
    if (first.error) {
      const {line, column, message} = first.error;
      throw new CelError(`yaml: line ${line + chunk.line - 1}, column ${column}: ${message}`);
    }
    return withDoubles(first.value);
  }
  return null;
}
