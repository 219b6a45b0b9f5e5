import {readFileSync} from 'node:fs';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {Operation} from '../../engine/types.js';
import {
  type GuideRow,
  guideObject,
  guideObjects,
  guidePolicyFiles,
  guideRoot,
  guideRows,
  messagesOf,
} from '../guide/load.js';
import {admissionRequest, engineRequest, type RequestOptions} from '../guide/request.js';
import {createJudgeServer, type JudgeServer} from './support/judge-server.js';
import {judgeOffline, loadOffline} from './support/offline.js';
import {type Served, startServe, temporaryFolder} from './support/serve-process.js';

const root = guideRoot();
let server: Served;
let judge: JudgeServer;

beforeAll(async () => {
  const folder = join(await temporaryFolder(), 'policies');
  await mkdir(folder);
  server = await startServe({policies: folder, args: ['--loggingFormat=json', '--v=4']});
  judge = createJudgeServer(server, join(folder, 'policy.yaml'));
});

afterAll(async () => {
  await server?.stop();
});

// The rows are data of their own; docs/samples and samples.test.ts prove the same with the repository's own policies.
describe.skipIf(root === undefined)(
  'the guide through the standalone server (needs its data beside the repository)',
  () => {
    const rows = root === undefined ? [] : guideRows(root);
    const executed = new Map<string, number>();
    let total = 0;

    afterAll(() => {
      const sums = [...executed].map(([verdict, count]) => `${verdict} ${count}`).join(', ');
      if (root !== undefined) console.log(`guide, standalone: ${total} rows executed (${sums}) of ${rows.length}`);
    });

    const outlines = rows.filter(row => row.policy === null && row.userInfo === undefined && row.expected === 'denied');
    for (const row of outlines) {
      it(`${row.id}: an outline is refused with a reason per unfinished rule`, async () => {
        const refusals = (await judge.load(read(row.resource)))
          .map(line => line.message)
          .filter(message => message.startsWith('refused: '))
          .join('\n');
        for (const message of messagesOf(row)) expect(refusals).toContain(message);
        count(row);
      });
    }

    const files = (root === undefined ? [] : guidePolicyFiles(root)).filter(file =>
      rows.some(row => row.policy === file),
    );
    for (const file of files) {
      const offline = loadOffline(guideObjects(root!, file));
      const own = rows.filter(row => row.policy === file);
      if (offline.later) {
        it(`${file} needs a cluster: refused as a whole, none of its rules is enforced`, async () => {
          const lines = await judge.load(read(file));
          expect(lines.some(line => line.message.includes('is not served by this release'))).toBe(true);
          for (const row of own.filter(isAdmission)) {
            const answer = await judge.judge(admissionRequest(requestOf(row)));
            expect(answer.validation.allowed).toBe(true);
            expect(answer.verdicts).toEqual([]);
          }
        });
        continue;
      }
      describe(file, () => {
        beforeAll(async () => {
          expect(offline.refused).toEqual([]);
          const lines = await judge.load(read(file));
          expect(lines.filter(line => line.message.startsWith('refused: '))).toEqual([]);
        });
        for (const row of own.filter(isAdmission)) {
          it(`${row.id}: ${row.expected}, as offline`, () => compare(row, offline.engine));
        }
      });
    }

    async function compare(row: GuideRow, engine: Parameters<typeof judgeOffline>[0]): Promise<void> {
      const options = requestOf(row);
      const wanted = await judgeOffline(engine, engineRequest(options));
      const answer = await judge.judge(admissionRequest(options));

      const blocking = wanted.validation.some(({status, action}) => /fail|error/.test(status) && action === 'Enforce');
      expect(answer.mutation.allowed).toBe(true);
      expect(answer.validation.allowed).toBe(!blocking);
      expect(answer.object).toEqual(options.operation === 'DELETE' ? undefined : wanted.object);
      // A refused request is not judged by audit policies any more.
      const judged = blocking ? wanted.validation.filter(({action}) => action === 'Enforce') : wanted.validation;
      expect(sorted(answer.verdicts)).toEqual(sorted([...wanted.mutation, ...judged]));
      if (blocking) {
        const text = oneLine(answer.validation.status?.message);
        for (const {status, message} of judged) {
          if (/fail|error/.test(status)) expect(text).toContain(oneLine(message));
        }
      }

      if (row.admission !== undefined) expect(answer.validation.allowed).toBe(row.admission === 'allowed');
      if (row.expected === 'mutated') {
        expect(answer.object).toEqual(placed(guideObject(root!, row.outcome!), options.object));
      } else {
        const found = answer.verdicts.find(({rule}) => isOf(row, rule));
        const status = found?.status ?? 'skip';
        expect(status === 'error' && row.expected === 'fail' ? 'fail' : status, found?.message).toBe(row.expected);
        for (const message of messagesOf(row)) expect(found?.message).toContain(message);
      }
      count(row);
    }

    function count(row: GuideRow): void {
      total += 1;
      executed.set(row.expected, (executed.get(row.expected) ?? 0) + 1);
    }
  },
);

function isAdmission(row: GuideRow): boolean {
  return row.operation === 'CREATE' || row.operation === 'UPDATE' || row.operation === 'DELETE';
}

function isOf(row: GuideRow, key: string): boolean {
  const slash = key.lastIndexOf('/');
  const policy = key.slice(0, slash);
  if (key.slice(slash + 1) !== row.rule) return false;
  return row.policyName === undefined || policy === row.policyName || policy.endsWith(`/${row.policyName}`);
}

function requestOf(row: GuideRow): RequestOptions {
  return {
    operation: row.operation as Operation,
    object: guideObject(root!, row.resource),
    ...(row.oldResource !== undefined && {oldObject: guideObject(root!, row.oldResource)}),
    ...(row.userInfo !== undefined && {userInfo: row.userInfo as JsonObject}),
  };
}

function read(path: string): string {
  return readFileSync(join(root!, path), 'utf8');
}

function sorted<T extends {readonly rule: string}>(verdicts: readonly T[]): T[] {
  return [...verdicts].sort((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0));
}

/** Refusals are YAML: long lines are folded. */
function oneLine(text: string | undefined): string {
  return (text ?? '').replace(/''/g, "'").replace(/\s+/g, ' ');
}

/** The guide leaves out the namespace `default` that the API server fills in. */
function placed(wanted: JsonObject, sent: JsonObject): JsonObject {
  const metadata = own(wanted, 'metadata') as JsonObject;
  if (own(metadata, 'namespace') !== undefined) return wanted;
  return {...wanted, metadata: {...metadata, namespace: String(ownPath(sent, 'metadata', 'namespace') ?? 'default')}};
}
