import {Agent, request as httpsRequest} from 'node:https';
import type {ChaosCluster} from './chaos-cluster.js';
import {namespace} from './policies.js';

export interface DirectReview {
  readonly allowed: boolean;
  readonly message: string;
  readonly patched: boolean;
}

/** Talks to replicas on their own ports, with the API server out of the way. */
export interface Direct {
  review(port: number, path: string, good: boolean): Promise<DirectReview>;
  /** Status of the readiness probe. */
  readiness(port: number): Promise<number>;
  close(): void;
}

/** Needs the API server, once, to learn which authority signs the replicas' certificates. */
export async function createDirect({cluster}: Pick<ChaosCluster, 'cluster'>): Promise<Direct> {
  const path = '/api/v1/namespaces/kyverno/secrets/kyverno-svc.kyverno.svc.kyverno-tls-ca';
  const {body} = await cluster.request<{data: Record<string, string>}>('GET', path);
  const ca = Buffer.from(body.data['tls.crt']!, 'base64').toString('utf8');
  const agent = new Agent({ca, servername: 'kyverno-svc.kyverno.svc', keepAlive: true});

  function send(
    port: number,
    target: string,
    payload?: string,
  ): Promise<{readonly status: number; readonly text: string}> {
    return new Promise((resolve, reject) => {
      const headers = payload === undefined ? {} : {'Content-Type': 'application/json'};
      const method = payload === undefined ? 'GET' : 'POST';
      const call = httpsRequest({host: '127.0.0.1', port, path: target, method, agent, headers}, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({status: response.statusCode ?? 0, text}));
        response.on('error', reject);
      });
      call.on('error', reject);
      call.end(payload);
    });
  }

  return {
    async review(port, target, good) {
      const {status, text} = await send(port, `${target}?timeout=10s`, reviewOf(good));
      if (status !== 200) throw new Error(`${target}: ${status} ${text}`);
      const {response} = JSON.parse(text) as {response: {allowed: boolean; status?: {message: string}; patch?: string}};
      return {
        allowed: response.allowed,
        message: response.status?.message ?? '',
        patched: response.patch !== undefined,
      };
    },
    readiness: async port => (await send(port, '/health/readiness')).status,
    close: () => agent.destroy(),
  };
}

let serial = 0;

function reviewOf(good: boolean): string {
  const kind = {group: '', version: 'v1', kind: 'ConfigMap'};
  const resource = {group: '', version: 'v1', resource: 'configmaps'};
  const name = `direct-${serial++}`;
  const object = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name, namespace, labels: good ? {team: 'red'} : {}}};
  const request = {
    uid: name,
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name,
    namespace,
    operation: 'CREATE',
    userInfo: {username: 'jane', groups: ['system:authenticated']},
    object,
    oldObject: null,
    dryRun: false,
  };
  return JSON.stringify({apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request});
}
