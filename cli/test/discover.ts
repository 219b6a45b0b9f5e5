import {dirname} from 'node:path';
import {readStrictDocuments, readText} from '../files/documents.js';
import {FileError, messageOf} from '../files/file-error.js';
import {findNamedFiles, isFolder} from '../files/find-files.js';
import {decodeTest, type TestCase} from '../files/test-file.js';

export interface Discovery {
  readonly tests: readonly TestCase[];
  readonly errors: ReadonlyArray<{readonly path: string; readonly message: string}>;
}

/** All tests in files of this name below a folder, hidden folders included. */
export async function discoverTests(folder: string, name: string): Promise<Discovery> {
  if (!(await isFolder(folder))) throw new FileError(`open ${folder}: not a directory`);
  const tests: TestCase[] = [];
  const errors: {path: string; message: string}[] = [];
  for (const path of await findNamedFiles(folder, name)) {
    try {
      for (const value of readStrictDocuments(await readText(path), path)) {
        tests.push({path, base: dirname(path), spec: decodeTest(value)});
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      errors.push({path, message: messageOf(error)});
    }
  }
  return {tests, errors};
}
