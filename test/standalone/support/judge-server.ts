import {isObject, type Json, type JsonObject} from '../../../engine/json/types.js';
import {applyJsonPatch, parseJsonPatch} from '../../../engine/mutate/index.js';
import type {Verdict} from './offline.js';
import {type ReviewResponse, type Served, writeWhole} from './serve-process.js';

/**
 * A policy of our own beside those that are tried: it passes every request in audit mode, so that each review ends with
 * a line of the audit log, behind the lines of all verdicts; and a reload is complete when the log names it.
 */
const marker = (serial: number) => `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: marker-${serial}}
spec:
  background: false
  rules:
    - name: seen
      match: {any: [{resources: {kinds: ["*"], operations: [CREATE, UPDATE, DELETE]}}]}
      validate: {failureAction: Audit, message: seen, deny: {conditions: {all: [{key: seen, operator: Equals, value: never}]}}}
`;

export interface ServerAnswer {
  readonly mutation: ReviewResponse;
  readonly validation: ReviewResponse;
  readonly verdicts: readonly Verdict[];
  readonly object: JsonObject | undefined;
}

export interface JudgeServer {
  /** Makes the server hold what `text` says and nothing else; the log lines of the reload. */
  load(text: string): Promise<readonly LogLine[]>;
  /** Sends one request through both webhook paths. */
  judge(request: JsonObject): Promise<ServerAnswer>;
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Over a server with `--loggingFormat=json --v=4` whose policies are the one file `path`. */
export function createJudgeServer(server: Served, path: string): JudgeServer {
  let serial = 0;
  let reviews = 0;
  const lines = (from: number): LogLine[] =>
    server
      .stderr()
      .slice(from)
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as LogLine);
  return {
    async load(text) {
      serial += 1;
      const from = server.stderr().length;
      await writeWhole(path, `${text.trimEnd()}\n${marker(serial)}`);
      await server.logged(new RegExp(`loaded ClusterPolicy/marker-${serial} [\\s\\S]*loaded, \\d+ refused`), from);
      return lines(from);
    },
    async judge(request) {
      reviews += 1;
      const from = server.stderr().length;
      const uid = `review-${reviews}`;
      const mutation = await server.review('/mutate?timeout=10s', {...request, uid: `${uid}-mutate`});
      const validation = await server.review('/validate?timeout=10s', {...request, uid});
      await server.logged(`"uid":"${uid}","policies":`, from);
      const verdicts = lines(from).flatMap(line => readVerdict(line) ?? []);
      return {mutation, validation, verdicts, object: patched(request['object'], mutation.patch)};
    },
  };
}

function readVerdict(line: LogLine): Verdict | undefined {
  const match = /^rule (\S+) (pass|fail|warn|error|skip) on /.exec(line.message);
  if (match === null || match[1]!.startsWith('marker-')) return undefined;
  return {rule: match[1]!, status: match[2]!, message: String(line['text']), action: String(line['action'])};
}

function patched(object: Json | undefined, patch: string | undefined): JsonObject | undefined {
  if (!isObject(object)) return undefined;
  if (patch === undefined) return object;
  return applyJsonPatch(object, parseJsonPatch(Buffer.from(patch, 'base64').toString('utf8')));
}
