import {Agent, request as httpsRequest} from 'node:https';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import type {Clock} from '../../adapters/clock.js';
import {createLogger, type Logger} from '../../adapters/log/logger.js';
import {type IssuedCertificate, issueCa, issueLeaf} from '../../adapters/tls/index.js';
import type {ContextLoader} from '../../engine/context-loader.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {
  type Engine,
  type FailurePolicy,
  NotImplementedError,
  type PolicyResult,
  type RuleResult,
} from '../../engine/types.js';
import {noFilters, noRoles} from '../defaults.js';
import {createMetrics, type Metrics} from '../metrics/metrics.js';
import {createAdmissionServer} from '../server.js';
import type {
  AdmissionServer,
  AdmissionServerOptions,
  AuditRecord,
  CertificateSource,
  ServingCertificate,
} from '../types.js';

/** Answers as told and keeps what it was asked: stands in for the engine where only the layers are looked at. */
export function scriptedEngine(script: Partial<Engine> = {}): Engine {
  const absent = (): never => {
    throw new NotImplementedError('not in this script');
  };
  return {
    validate: () => ({results: []}),
    mutate: request => ({results: [], object: request.object, patch: []}),
    generate: absent,
    verifyAndPatchImages: request => ({results: [], object: request.object, patch: []}),
    applyBackgroundChecks: absent,
    contextLoader: (): ContextLoader => absent(),
    ...script,
  };
}

export function rule(name: string, partial: Partial<RuleResult> = {}): RuleResult {
  return {rule: name, type: 'Validation', status: 'pass', message: `rule ${name}`, action: 'Enforce', ...partial};
}

export function policy(
  name: string,
  rules: readonly RuleResult[],
  partial: {
    readonly namespace?: string;
    readonly failurePolicy?: FailurePolicy;
    readonly emitWarning?: boolean;
    readonly duration?: number;
  } = {},
): PolicyResult {
  const namespace = partial.namespace ?? '';
  return {
    policy: {
      apiVersion: 'kyverno.io/v1',
      kind: namespace === '' ? 'ClusterPolicy' : 'Policy',
      namespace,
      name,
      key: namespace === '' ? name : `${namespace}/${name}`,
    },
    failurePolicy: partial.failurePolicy ?? 'Fail',
    emitWarning: partial.emitWarning ?? false,
    annotations: {},
    background: true,
    rules,
    ...(partial.duration === undefined ? {} : {duration: partial.duration}),
  };
}

const kinds: readonly KindInfo[] = [
  {group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true, subResources: ['exec', 'status']},
];

export const podKinds: ResourceMap = {
  kindOf: ({group, version, resource}) =>
    kinds.find(kind => kind.group === group && kind.version === version && kind.resource === resource),
  find: name => kinds.filter(({kind}) => kind === name),
  all: () => kinds,
};

/** An AdmissionReview of a Pod; `fields` replace fields of its request. */
export function podReview(fields: Readonly<Record<string, unknown>> = {}): string {
  const pod = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'web', namespace: 'shop'}, spec: {containers: []}};
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      kind: {group: '', version: 'v1', kind: 'Pod'},
      resource: {group: '', version: 'v1', resource: 'pods'},
      name: 'web',
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: {username: 'alice', groups: ['devs']},
      object: pod,
      oldObject: null,
      dryRun: false,
      ...fields,
    },
  });
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Call {
  readonly path: string;
  readonly body?: string | Buffer;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

export interface Harness {
  readonly server: AdmissionServer;
  readonly clock: ManualClock;
  readonly metrics: Metrics;
  readonly lines: string[];
  readonly records: AuditRecord[];
  readonly ca: IssuedCertificate;
  readonly port: number;
  swapCertificate(): Promise<ServingCertificate>;
  call(call: Call): Promise<Reply>;
  /** Posts a review and reads the answer's `response`. */
  review(path: string, body?: string): Promise<Response>;
  close(): Promise<void>;
}

export interface Response {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {readonly status: string; readonly message: string};
  readonly warnings?: readonly string[];
  readonly patch?: string;
  readonly patchType?: string;
}

export interface HarnessOptions extends Partial<Omit<AdmissionServerOptions, 'clock'>> {
  readonly verbosity?: number;
  readonly clock?: Clock;
}

let sharedCa: Promise<IssuedCertificate> | undefined;

/** A server on a free port of 127.0.0.1 with a clock that stands still. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const clock = createManualClock();
  sharedCa ??= issueCa({algorithm: 'ECDSA', now: Date.now(), commonName: 'test authority'});
  const ca = await sharedCa;
  const lines: string[] = [];
  const records: AuditRecord[] = [];
  const metrics = options.metrics ?? createMetrics({version: 'test', processMetrics: false});
  const log: Logger =
    options.log ?? createLogger({format: 'text', verbosity: options.verbosity ?? 2, write: line => lines.push(line)});
  let current = await leaf(ca);
  const listeners = new Set<(certificate: ServingCertificate) => void>();
  const certificates: CertificateSource = {
    current: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const server = createAdmissionServer({
    engine: scriptedEngine(),
    resources: () => podKinds,
    roles: noRoles,
    filters: () => noFilters,
    policyReview: {review: () => ({allowed: true, errors: [], warnings: []})},
    audit: {submit: record => void records.push(record)},
    certificates,
    readiness: () => ({ready: true, reasons: []}),
    ...options,
    metrics,
    log,
    clock: options.clock ?? clock,
  });
  await server.listen(0, '127.0.0.1');
  const {port} = server.address()!;
  const agent = new Agent({keepAlive: true, ca: ca.cert});
  const call = (wanted: Call) => send(port, ca.cert, {agent, ...wanted});
  return {
    server,
    clock,
    metrics,
    lines,
    records,
    ca,
    port,
    async swapCertificate() {
      current = await leaf(ca);
      for (const listener of listeners) listener(current);
      return current;
    },
    call,
    async review(path, body = podReview()) {
      const reply = await call({path, body});
      return (JSON.parse(reply.text) as {response: Response}).response;
    },
    async close() {
      agent.destroy();
      await server.close();
    },
  };
}

async function leaf(ca: IssuedCertificate): Promise<ServingCertificate> {
  const issued = await issueLeaf({
    ca,
    algorithm: 'ECDSA',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    now: Date.now(),
  });
  return {...issued, ca: ca.cert};
}

function send(port: number, ca: string, call: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        ca,
        path: call.path,
        method: call.method ?? (call.body === undefined ? 'GET' : 'POST'),
        headers: {...(call.body === undefined ? {} : {'Content-Type': 'application/json'}), ...call.headers},
        ...(call.agent === undefined ? {} : {agent: call.agent}),
      },
      response => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', chunk => {
          text += chunk;
        });
        response.on('end', () => resolve({status: response.statusCode ?? 0, headers: response.headers, text}));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(call.body);
  });
}

/** Lets queued work, timers' turns and pending Promises run; moves no clock. */
export async function settle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve));
}
