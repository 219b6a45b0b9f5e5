import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import type {JsonObject} from '../../../engine/json/types.js';
import type {Cluster} from '../../cluster/cluster.js';

export interface ForeignWebhook {
  /** Requests seen so far. */
  readonly calls: () => number;
  stop(): Promise<void>;
}

export interface ForeignWebhookOptions {
  /** Of the configuration: the API server calls configurations in the order of their names. */
  readonly name: string;
  readonly namespace: string;
  /** JSON patch for an object. */
  readonly patch: (object: JsonObject) => readonly JsonObject[];
}

/** Somebody else's mutating webhook for ConfigMaps, served by this process. */
export async function startForeignWebhook(cluster: Cluster, options: ForeignWebhookOptions): Promise<ForeignWebhook> {
  const {certificate, key} = cluster.authority.issue({commonName: options.name, hosts: ['127.0.0.1', 'localhost']});
  let calls = 0;
  const server = createServer({cert: certificate, key}, (request, response) => {
    let text = '';
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      calls += 1;
      const review = JSON.parse(text) as {request: {uid: string; object: JsonObject}};
      const patch = options.patch(review.request.object);
      const answer = {
        uid: review.request.uid,
        allowed: true,
        ...(patch.length > 0 && {patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64')}),
      };
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer}));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  const {status, body} = await cluster.request('POST', path, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: {name: options.name},
    webhooks: [
      {
        name: `${options.name}.example.test`,
        clientConfig: {url, caBundle: Buffer.from(cluster.ca).toString('base64')},
        rules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps']}],
        namespaceSelector: {matchLabels: {'kubernetes.io/metadata.name': options.namespace}},
        sideEffects: 'None',
        reinvocationPolicy: 'Never',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return {
    calls: () => calls,
    async stop() {
      await cluster.request('DELETE', `${path}/${options.name}`);
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
