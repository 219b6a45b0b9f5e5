import {appendFile, mkdir, readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';

/** What one run of a suite gave. */
export interface SuiteResult {
  readonly id: string;
  /** `pass`; `fail`; `timeout` when it was ended; `skip` when it says so itself or cannot run here, see `reason`. */
  readonly status: 'pass' | 'fail' | 'timeout' | 'skip';
  readonly seconds: number;
  readonly attempts: number;
  readonly profile: string;
  /** First failure of the last attempt. */
  readonly failure?: {readonly step: string; readonly operation: string; readonly message: string};
  readonly reason?: string;
  /** Start of the hash of the bundle that ran. */
  readonly build: string;
  readonly at: string;
}

/** Results of earlier runs and this one; a line is added as soon as a suite ends, so that a cut run can go on. */
export interface Results {
  /** By suite, the last one. */
  readonly last: ReadonlyMap<string, SuiteResult>;
  add(result: SuiteResult): Promise<void>;
}

export async function openResults(folder: string): Promise<Results> {
  const file = join(folder, 'results.jsonl');
  await mkdir(dirname(file), {recursive: true});
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const last = new Map<string, SuiteResult>();
  for (const line of text.split('\n')) {
    // A run that was killed while it wrote leaves half a line.
    if (!line.endsWith('}')) continue;
    const result = JSON.parse(line) as SuiteResult;
    last.set(result.id, result);
  }
  return {
    last,
    async add(result) {
      last.set(result.id, result);
      await appendFile(file, `${JSON.stringify(result)}\n`);
    },
  };
}
