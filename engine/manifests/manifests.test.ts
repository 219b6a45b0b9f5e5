import {createSign, generateKeyPairSync} from 'node:crypto';
import {gzipSync} from 'node:zlib';
import {describe, expect, it} from 'vitest';
import {stringify} from 'yaml';
import {ImageVerificationError} from '../image/verification.js';
import type {Json, JsonObject} from '../json/types.js';
import {deadline, engineOf, judge, policyOf} from '../testing/engines.js';
import {recordingImages} from '../testing/image-source.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {requestOf} from '../testing/requests.js';

const [one, two, three] = [1, 2, 3].map(() => generateKeyPairSync('ec', {namedCurve: 'P-256'})) as [Pair, Pair, Pair];
type Pair = ReturnType<typeof generateKeyPairSync>;
const pem = (pair: Pair) =>
  (pair.publicKey as {export: (options: object) => string}).export({type: 'spki', format: 'pem'});

const service: JsonObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {name: 's'},
  spec: {ports: [{port: 80, protocol: 'TCP', targetPort: 9376}], selector: {app: 'a'}},
};

function tar(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('0', 156);
  header.write('ustar\0', 257);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512), Buffer.alloc(1024)]);
}

interface Signing {
  readonly keys?: readonly Pair[];
  readonly archive?: boolean;
  readonly domain?: string;
}

/** The object with the annotations of its signature. */
function signed(
  manifest: JsonObject,
  {keys = [one], archive = false, domain = 'cosign.sigstore.dev'}: Signing = {},
): JsonObject {
  const yaml = Buffer.from(stringify(manifest));
  const payload = archive ? gzipSync(tar('m.yaml', yaml)) : yaml;
  const annotations: JsonObject = {[`${domain}/message`]: gzipSync(payload).toString('base64')};
  keys.forEach((pair, index) => {
    const signature = createSign('sha256')
      .update(payload)
      .sign(pair.privateKey as never);
    annotations[`${domain}/signature${index === 0 ? '' : `_${index}`}`] = signature.toString('base64');
  });
  return {...manifest, metadata: {...(manifest['metadata'] as JsonObject), annotations}};
}

function withSpec(object: JsonObject, spec: JsonObject): JsonObject {
  return {...object, spec: {...(object['spec'] as JsonObject), ...spec}};
}

function policy(manifests: JsonObject): JsonObject {
  const policy = policyOf(
    'p',
    '[{name: r, match: {any: [{resources: {kinds: [Service, Deployment]}}]}, validate: {pattern: {a: b}}}]',
  );
  const rules = (policy['spec'] as JsonObject)['rules'] as JsonObject[];
  rules[0]!['validate'] = {manifests};
  return policy;
}

const keysOf = (...pairs: readonly Pair[]): Json => pairs.map(pair => ({keys: {publicKeys: pem(pair)}}));
const byOne = policy({attestors: [{entries: keysOf(one)}]});

async function verdict(rules: JsonObject, object: JsonObject): Promise<string> {
  const {engine} = engineOf([rules]);
  const [result] = await judge(engine, requestOf({object}));
  return `${result?.status}: ${result?.message}`;
}

const prefix = 'fail: manifest verification failed; verifiedCount 0; requiredCount 1; message ';

describe('a manifest', () => {
  const rows: ReadonlyArray<readonly [string, JsonObject, JsonObject, string]> = [
    ['signed as YAML', byOne, signed(service), 'pass'],
    ['signed as an archive', byOne, signed(service, {archive: true}), 'pass'],
    ['not signed', byOne, service, `${prefix}the object has no annotation cosign.sigstore.dev/message`],
    [
      'signed by somebody else',
      byOne,
      signed(service, {keys: [two]}),
      `${prefix}.attestors[0].entries[0].keys: invalid signature`,
    ],
    [
      'without a signature',
      byOne,
      signed(service, {keys: []}),
      `${prefix}.attestors[0].entries[0].keys: the object carries no signature`,
    ],
    [
      'changed after it was signed',
      byOne,
      withSpec(signed(service), {selector: {app: 'b'}}),
      `${prefix}the object differs from what was signed: spec.selector.app`,
    ],
    [
      'with something added',
      byOne,
      withSpec(signed(service), {externalIPs: ['1.2.3.4']}),
      `${prefix}the object differs from what was signed: spec.externalIPs.0`,
    ],
    [
      'with an empty rule instead of none',
      byOne,
      withSpec(signed(withSpec(service, {externalIPs: []})), {externalIPs: [{}]}),
      `${prefix}the object differs from what was signed: spec.externalIPs`,
    ],
    [
      'with what the API server fills in',
      byOne,
      withSpec(signed(service), {
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
      }),
      'pass',
    ],
    [
      'with another value than the API server fills in',
      byOne,
      withSpec(signed(service), {type: 'NodePort'}),
      `${prefix}the object differs from what was signed: spec.type`,
    ],
    [
      'of another object',
      byOne,
      {...signed(service), metadata: {...(signed(service)['metadata'] as JsonObject), name: 'other'}},
      `${prefix}the signed message holds no object of this kind and name`,
    ],
    ['by two, one is enough', policy({attestors: [{count: 1, entries: keysOf(two, one)}]}), signed(service), 'pass'],
    [
      'by two who both must have signed',
      policy({attestors: [{entries: keysOf(one, two)}]}),
      signed(service, {keys: [one, two]}),
      'pass',
    ],
    [
      'by two, one has not',
      policy({attestors: [{entries: keysOf(one, three)}]}),
      signed(service, {keys: [one, two]}),
      'fail: manifest verification failed; verifiedCount 1; requiredCount 2; message .attestors[0].entries[1].keys: invalid signature',
    ],
    [
      'by sets that must all hold',
      policy({attestors: [{entries: keysOf(one)}, {entries: keysOf(three)}]}),
      signed(service),
      `${prefix}.attestors[1].entries[0].keys: invalid signature`,
    ],
    [
      'in annotations of another name',
      policy({attestors: [{entries: keysOf(one)}], annotationDomain: 'acme.io'}),
      signed(service, {domain: 'acme.io'}),
      'pass',
    ],
    [
      'with fields that the policy leaves out',
      policy({
        attestors: [{entries: keysOf(one)}],
        ignoreFields: [{objects: [{kind: 'Serv*'}], fields: ['spec.selector.*']}],
      }),
      withSpec(signed(service), {selector: {app: 'b'}}),
      'pass',
    ],
    [
      'with fields that it leaves out of others',
      policy({
        attestors: [{entries: keysOf(one)}],
        ignoreFields: [{objects: [{kind: 'Pod'}], fields: ['spec.selector.*']}],
      }),
      withSpec(signed(service), {selector: {app: 'b'}}),
      prefix,
    ],
    [
      'whose message is none',
      byOne,
      {...service, metadata: {name: 's', annotations: {'cosign.sigstore.dev/message': 'AAAA'}}},
      `${prefix}cosign.sigstore.dev/message is not compressed by gzip`,
    ],
    [
      'that grows without end',
      byOne,
      {
        ...service,
        metadata: {
          name: 's',
          annotations: {'cosign.sigstore.dev/message': gzipSync(Buffer.alloc(5 * 1024 * 1024)).toString('base64')},
        },
      },
      `${prefix}cosign.sigstore.dev/message cannot be decompressed`,
    ],
    [
      'in an image',
      byOne,
      {...service, metadata: {name: 's', annotations: {'cosign.sigstore.dev/resourceBundleRef': 'a'}}},
      `${prefix}annotation cosign.sigstore.dev/resourceBundleRef: manifests in images are not read`,
    ],
  ];
  for (const [title, rules, object, want] of rows) {
    it(`${title}: ${want.slice(0, 4)}`, async () => {
      expect(await verdict(rules, object)).toContain(want);
    });
  }

  it('of a Deployment, with an image by its whole name and the defaults of Pods', async () => {
    const template = {metadata: {labels: {a: 'b'}}, spec: {containers: [{name: 'c', image: 'nginx'}]}};
    const manifest: JsonObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name: 'd'},
      spec: {selector: {matchLabels: {a: 'b'}}, template},
    };
    const container = {
      name: 'c',
      image: 'docker.io/library/nginx:latest',
      imagePullPolicy: 'Always',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    };
    const spec = {
      ...template.spec,
      containers: [container],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
    };
    const stored = withSpec(signed(manifest), {
      replicas: 1,
      template: {...template, spec},
      progressDeadlineSeconds: 600,
      strategy: {type: 'RollingUpdate', rollingUpdate: {maxSurge: '25%', maxUnavailable: '25%'}},
    });
    expect(await verdict(byOne, stored)).toContain('pass');
    const privileged = {...spec, containers: [{...container, securityContext: {privileged: true}}]};
    expect(await verdict(byOne, withSpec(stored, {template: {...template, spec: privileged}}))).toContain(
      'spec.template.spec.containers.0.securityContext.privileged',
    );
  });
});

describe('who is asked', () => {
  const secret = policy({attestors: [{entries: [{keys: {secret: {name: 'k', namespace: 'team'}}}]}]});

  it('nobody, where the key stands in the policy', async () => {
    const images = recordingImages({});
    const {engine} = engineOf([byOne], {loader: recordingLoader({imageSource: images})});
    expect((await judge(engine, requestOf({object: signed(service)})))[0]?.status).toBe('pass');
    expect(images.calls).toEqual([]);
  });

  it('somebody outside for all others, with the bytes and the signature', async () => {
    for (const [reason, want] of [
      [undefined, 'pass'],
      ['unverified', 'fail'],
      ['unreachable', 'error'],
    ] as const) {
      const verifyBlob = async ({payload}: {readonly payload: Uint8Array}) => {
        expect(Buffer.from(payload).toString()).toBe(stringify(service));
        if (reason !== undefined) throw new ImageVerificationError('no', reason);
      };
      const {engine} = engineOf([secret], {
        loader: recordingLoader({imageSource: {...recordingImages({}), verifyBlob}}),
      });
      expect((await judge(engine, requestOf({object: signed(service)})))[0]?.status).toBe(want);
    }
  });

  it('and where there is nobody it is an error', async () => {
    expect(await verdict(secret, signed(service))).toContain('error: manifest verification failed');
  });

  it('nobody in dry runs and of what goes away', async () => {
    const {engine} = engineOf([byOne]);
    expect((await judge(engine, {...requestOf({object: service}), dryRun: true}))[0]?.status).toBe('pass');
    expect(
      (await engine.validate(requestOf({oldObject: service, operation: 'DELETE'}), {bucket: 'all', deadline})).results,
    ).toEqual([]);
  });
});
