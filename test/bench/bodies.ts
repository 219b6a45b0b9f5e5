import {existsSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Json, JsonObject} from '../../engine/json/types.js';

export const bodyNames = ['good', 'bad', 'update', 'large'] as const;
export type BodyName = (typeof bodyNames)[number];

export interface Bodies {
  readonly origin: 'given' | 'generated';
  readonly json: Readonly<Record<BodyName, string>>;
}

/** AdmissionReview texts: the ones given beside the repository where there are any, own ones of the same make else. */
export function benchBodies(): Bodies {
  const folder = givenFolder();
  const read = (name: BodyName) =>
    folder === undefined ? generateBody(name) : readFileSync(join(folder, `${name}.json`), 'utf8');
  return {
    origin: folder === undefined ? 'generated' : 'given',
    json: {good: read('good'), bad: read('bad'), update: read('update'), large: read('large')},
  };
}

function givenFolder(): string | undefined {
  const conformance = process.env['CONFORMANCE_DIR'];
  const candidates = [
    ...(conformance === undefined ? [] : [join(conformance, '..', 'bench')]),
    resolve(import.meta.dirname, '..', '..', '..', 'shared', 'bench'),
  ];
  return candidates.find(path => bodyNames.every(name => existsSync(join(path, `${name}.json`))));
}

/** good: about 6 KB, satisfies every bench policy; bad: privileged; update: both objects; large: about 100 KB. */
export function generateBody(name: BodyName): string {
  const base = pod({containers: 3, env: 8, managed: 1});
  switch (name) {
    case 'good':
      return review('CREATE', {object: base});
    case 'bad':
      return review('CREATE', {object: pod({containers: 3, env: 8, managed: 1, privileged: true})});
    case 'update':
      return review('UPDATE', {object: pod({containers: 3, env: 8, managed: 2}), oldObject: base});
    case 'large':
      return review('CREATE', {object: pod({containers: 12, env: 70, managed: 30})});
  }
}

interface Objects {
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
}

function review(operation: 'CREATE' | 'UPDATE', objects: Objects): string {
  const kind = {group: '', version: 'v1', kind: 'Pod'};
  const resource = {group: '', version: 'v1', resource: 'pods'};
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '5f1d2c3b-0a49-4e58-8d67-7c8b9a0f1e2d',
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: 'checkout-6d5f9c7b84-x2k9p',
      namespace: 'shop',
      operation,
      userInfo: {
        username: 'system:serviceaccount:kube-system:replicaset-controller',
        uid: '0c9d8e7f-6a5b-4c3d-9e2f-1a0b9c8d7e6f',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      },
      ...objects,
      dryRun: false,
      options: {apiVersion: 'meta.k8s.io/v1', kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions'},
    },
  });
}

interface PodOptions {
  readonly containers: number;
  readonly env: number;
  /** Entries of managedFields. */
  readonly managed: number;
  readonly privileged?: boolean;
}

function pod(options: PodOptions): JsonObject {
  const names = Array.from({length: options.containers}, (_, index) => `part-${index}`);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'checkout-6d5f9c7b84-x2k9p',
      generateName: 'checkout-6d5f9c7b84-',
      namespace: 'shop',
      uid: '9a8b7c6d-5e4f-4031-a2b3-c4d5e6f70819',
      creationTimestamp: '2026-01-15T08:30:00Z',
      labels: {
        'app.kubernetes.io/name': 'checkout',
        'app.kubernetes.io/part-of': 'shop',
        'pod-template-hash': '6d5f9c7b84',
      },
      annotations: {'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080'},
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'checkout-6d5f9c7b84',
          uid: '1b2c3d4e-5f60-4718-a9ba-cbdcedfe0f10',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: Array.from({length: options.managed}, (_, index) => managedFields(names, index)),
    },
    spec: {
      serviceAccountName: 'checkout',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      securityContext: {runAsNonRoot: true, fsGroup: 2000, seccompProfile: {type: 'RuntimeDefault'}},
      initContainers: [container('migrate', {...options, env: 2, privileged: false})],
      containers: names.map((name, index) =>
        container(name, {...options, privileged: options.privileged === true && index === 0}),
      ),
      volumes: [
        {name: 'scratch', emptyDir: {}},
        {name: 'settings', configMap: {name: 'checkout-settings', defaultMode: 420}},
      ],
    },
  };
}

function container(name: string, options: PodOptions): JsonObject {
  return {
    name,
    image: `registry.example.org/shop/${name}:2.4.1`,
    imagePullPolicy: 'IfNotPresent',
    ports: [{name: 'http', containerPort: 8080, protocol: 'TCP'}],
    env: Array.from(
      {length: options.env},
      (_, index): Json => ({name: `SETTING_${index}`, value: `value of ${index}`}),
    ),
    resources: {limits: {cpu: '500m', memory: '256Mi'}, requests: {cpu: '50m', memory: '128Mi'}},
    securityContext: {
      allowPrivilegeEscalation: false,
      ...(options.privileged === true && {privileged: true}),
      runAsUser: 10001,
      readOnlyRootFilesystem: true,
      capabilities: {drop: ['ALL']},
    },
    volumeMounts: [
      {name: 'scratch', mountPath: '/tmp'},
      {name: 'settings', mountPath: '/etc/checkout', readOnly: true},
    ],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  };
}

function managedFields(names: readonly string[], index: number): JsonObject {
  const containers: JsonObject = {};
  for (const name of names) {
    containers[`k:{"name":"${name}"}`] = {
      '.': {},
      'f:env': {},
      'f:image': {},
      'f:name': {},
      'f:resources': {},
      'f:securityContext': {},
    };
  }
  return {
    manager: `manager-${index}`,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-15T08:30:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {'f:metadata': {'f:labels': {'.': {}}}, 'f:spec': {'f:containers': containers}},
  };
}
