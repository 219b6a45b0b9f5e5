import {type Document, parseDocument} from 'yaml';
import {splitDocuments} from '../../engine/yaml/split.js';
import {parseOptions} from '../../engine/yaml/tags.js';
import {convert} from '../../engine/yaml/convert.js';
import {parseYaml, parseYamlDocuments} from '../../engine/yaml/index.js';
import {deepEqual} from '../../engine/json/equal.js';
import {FileError, messageOf} from '../files/file-error.js';

/** Changes a document in place and says what it changed; nothing said = nothing changed. */
export type Edit = (document: Document) => readonly string[];

export interface EditedText {
  readonly text: string;
  readonly changes: readonly string[];
}

/**
 * Edits the documents of a text one by one. Comments, order and style stay; a document without changes stays to the
 * letter. Throws `FileError` for a document that cannot be read, or that would not be read back the same.
 */
export function editDocuments(text: string, edit: Edit): EditedText {
  const changes: string[] = [];
  const chunks = splitDocuments(text).map(chunk => {
    // Read with its limits first: the reader that keeps comments has none.
    const fault = parseYamlDocuments(chunk.text).find(({error}) => error !== undefined)?.error;
    if (fault !== undefined) throw new FileError(`document at line ${chunk.line}: ${fault.message}`);
    const document = parseDocument(chunk.text, parseOptions);
    const made = edit(document);
    if (made.length === 0) return chunk.text;
    changes.push(...made);
    return write(document, chunk.text);
  });
  return {text: chunks.join(''), changes};
}

function write(document: Document, before: string): string {
  let text: string;
  try {
    text = document.toString({
      lineWidth: 0,
      indentSeq: !flatLists.test(before),
      flowCollectionPadding: /[[{] \S/.test(before),
    });
    if (!deepEqual(parseYaml(text), convert(document.contents).value))
      throw new FileError('it would be read back differently');
  } catch (error) {
    throw new FileError(`the changed document cannot be written: ${messageOf(error)}`);
  }
  return text;
}

/** Lists that begin in the column of their key. */
const flatLists = /^([ \t]*)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m;
