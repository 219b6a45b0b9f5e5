import {describe, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {goodPod, inEachList} from './testing/pods.js';
import {always, both, type Case, expectVerdicts, type Objection, one, strict} from './testing/standard-case.js';

const volume = (source: JsonObject): Case['pods'] => one(goodPod({spec: {volumes: [{name: 'v', ...source}]}}));

const cases: Case[] = [
  {name: 'a Pod that keeps every rule is allowed', pods: one(goodPod())},

  {
    name: 'a Pod without containers is allowed',
    pods: one(goodPod({spec: {initContainers: null, containers: [], ephemeralContainers: null}})),
  },

  ...both(
    'Host Namespaces',
    [['false and null', one(goodPod({spec: {hostNetwork: false, hostPID: null}}))]],
    ['hostNetwork', 'hostPID', 'hostIPC'].map(field => ({
      name: `${field} is forbidden`,
      pods: one(goodPod({spec: {[field]: true}})),
      ...always('hostNamespaces'),
    })),
  ),

  ...both(
    'Privileged Containers',
    [['false', inEachList({}, {privileged: false})]],
    [{name: 'true is forbidden', pods: inEachList({}, {privileged: true}), ...always('privileged')}],
  ),

  ...both(
    'Volumes',
    [
      ...[
        'configMap',
        'csi',
        'downwardAPI',
        'emptyDir',
        'ephemeral',
        'image',
        'persistentVolumeClaim',
        'projected',
        'secret',
      ].map(source => [source, volume({[source]: {}})] as const),
      ['no volume', one(goodPod({spec: {volumes: null}}))],
    ],
    [
      {
        name: 'hostPath is forbidden',
        pods: volume({hostPath: {path: '/'}}),
        ...always('hostPathVolumes'),
        ...strict('restrictedVolumes'),
      },
      ...(
        'gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile ' +
        'vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos somethingNew'
      )
        .split(' ')
        .map(source => ({
          name: `${source} is not restricted`,
          pods: volume({[source]: {}}),
          ...strict('restrictedVolumes'),
        })),
      {
        name: 'a volume without a source is not restricted',
        pods: volume({emptyDir: null}),
        ...strict('restrictedVolumes'),
      },
    ],
  ),

  ...both(
    'Host Ports',
    [['0 and absent', inEachList({ports: [{containerPort: 80, hostPort: 0}, {containerPort: 81}]})]],
    [
      {
        name: 'any other is forbidden',
        pods: inEachList({ports: [{containerPort: 80}, {containerPort: 81, hostPort: 8081}]}),
        ...always('hostPorts'),
      },
    ],
  ),

  ...both(
    'HostProcess',
    [['false', inEachList({}, {windowsOptions: {hostProcess: false}})]],
    [
      {
        name: 'true of containers is forbidden',
        pods: inEachList({}, {windowsOptions: {hostProcess: true}}),
        ...always('windowsHostProcess'),
      },
      {
        name: 'true of the Pod is forbidden',
        pods: one(goodPod({security: {windowsOptions: {hostProcess: true}}})),
        ...always('windowsHostProcess'),
      },
    ],
  ),

  ...both(
    'Host probes and lifecycle hooks',
    [
      [
        'an empty host',
        inEachList({livenessProbe: {httpGet: {port: 80, host: ''}}, lifecycle: {preStop: {exec: {command: ['true']}}}}),
      ],
      ['no host', inEachList({startupProbe: {tcpSocket: {port: 80}}, readinessProbe: {grpc: {port: 1}}})],
    ],
    ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle.postStart', 'lifecycle.preStop'].flatMap(place =>
      ['httpGet', 'tcpSocket'].map(action => ({
        name: `a host in ${place}.${action} is forbidden from 1.34`,
        pods: inEachList(
          place.split('.').reduceRight<JsonObject>((inner, key) => ({[key]: inner}), {[action]: {host: '10.0.0.1'}}),
        ),
        baseline: [['hostProbesAndHostLifecycle', 34]] as Objection[],
      })),
    ),
  ),
];

describe('Pod Security Standards at each version: reach to the node', () => {
  it.each(cases)('$name', item => {
    expectVerdicts(item);
  });
});
