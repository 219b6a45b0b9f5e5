import {parseJson} from '../../engine/json/index.js';
import type {Json} from '../../engine/json/types.js';
import {parseYamlDocuments} from '../../engine/yaml/index.js';
import {readText} from './documents.js';
import {FileError, messageOf} from './file-error.js';
import {isYamlName} from './find-files.js';

/** JSON of a file, whatever it is; of a YAML file with several documents their list. */
export async function loadPayload(path: string): Promise<Json> {
  const text = await readText(path);
  if (!isYamlName(path)) {
    try {
      return parseJson(text);
    } catch (error) {
      throw new FileError(`failed to load payload ${path}: ${messageOf(error)}`);
    }
  }
  const values = parseYamlDocuments(text).map(document => {
    if (document.error !== undefined) throw new FileError(`${path}:${document.error.line}: ${document.error.message}`);
    return document.value;
  });
  return values.length === 1 ? values[0]! : values;
}
