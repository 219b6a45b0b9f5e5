import {spawn} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {isObject, type JsonObject} from '../../../engine/json/types.js';
import {parseYamlDocuments} from '../../../engine/yaml/index.js';
import {program} from './serve-process.js';

const userFile = `apiVersion: cli.kyverno.io/v1alpha1
kind: UserInfo
userInfo: {username: jane, groups: [developers, system:authenticated]}
`;

export interface Result {
  /** `policy/rule`. */
  readonly rule: string;
  readonly status: string;
  readonly message: string;
  /** `Kind namespace/name`. */
  readonly resource: string;
}

export interface Applied {
  readonly exit: number;
  readonly stderr: string;
  readonly results: readonly Result[];
  /** Changed and generated objects. */
  readonly objects: readonly JsonObject[];
}

export interface Application {
  /** For what the call writes. */
  readonly folder: string;
  readonly policies: readonly string[];
  readonly resources: readonly string[];
  readonly targets?: readonly string[];
  readonly operation?: string;
}

let serial = 0;

/** `kyverno apply` of the bundle, with a report and a folder for objects. */
export async function apply({folder, policies, resources, targets = [], operation}: Application): Promise<Applied> {
  const output = join(folder, `out-${serial++}`);
  await mkdir(output);
  const user = join(folder, 'user.yaml');
  await writeFile(user, userFile);
  const args = ['apply', ...policies, '--resource', resources.join(','), '--policy-report', '--output-format', 'json'];
  args.push('--exceptions-within-policies', '--userinfo', user, '--output', output);
  if (operation !== undefined) args.push('--set', `request.operation=${operation}`);
  if (targets.length > 0) args.push('--target-resource', targets.join(','));
  const {exit, stdout, stderr} = await kyverno(args);
  const reports = stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as {readonly results: readonly ReportResult[]});
  return {
    exit,
    stderr,
    results: reports
      .flatMap(report => report.results)
      .map(({policy, rule = '', result, description, resources: [resource]}) => ({
        rule: `${policy}/${rule}`,
        status: result,
        message: description,
        resource: `${resource.kind} ${resource.namespace ?? ''}/${resource.name}`,
      })),
    objects: readdirSync(output).flatMap(name =>
      parseYamlDocuments(readFileSync(join(output, name), 'utf8'))
        .map(document => document.value)
        .filter(isObject),
    ),
  };
}

interface ReportResult {
  readonly policy: string;
  readonly rule?: string;
  readonly result: string;
  readonly description: string;
  readonly resources: readonly [{readonly kind: string; readonly namespace?: string; readonly name: string}];
}

function kyverno(args: readonly string[]): Promise<{exit: number; stdout: string; stderr: string}> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, ...args], {stdio: ['ignore', 'pipe', 'pipe']});
    const text = {stdout: '', stderr: ''};
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (chunk: string) => {
        text[stream] += chunk;
      });
    }
    child.once('error', fail);
    child.once('close', code => done({exit: code ?? 128, ...text}));
  });
}
