import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {addAttestedImages, type AttestedWorld} from '../images/attested-world.js';
import {type Registries, startRegistries} from '../images/registries.js';
import {admit} from './support/admitted.js';
import {applyCel, celPath, celStatusOf, dropCel, putCel} from './support/cel-policies.js';
import {podOf} from './support/image-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {pathOf, type Thing, write} from './support/policies.js';

/** ImageValidatingPolicies as users write them: whom they admit, in which words they refuse, and what is reported. */
let world: Registries<'referrers' | 'tags'>;
let attested: AttestedWorld;
let operator: OperatorCluster;

beforeAll(async () => {
  world = await startRegistries([
    {name: 'referrers', kind: 'referrers'},
    {name: 'tags', kind: 'distribution'},
  ]);
  attested = await addAttestedImages(world);
  operator = await startOperatorCluster({args: ['--allowInsecureRegistry=true', '--backgroundScanImages=true']});
  await createNamespaces(operator, ['shop', 'team']);
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});
afterEach(() => dropCel(operator));

const signedImage = () => `${attested.places.notation}:v1`;
const unsignedImage = () => `${attested.places.bare}:v1`;
const off = {mutateDigest: false, verifyDigest: false, required: false};
const inProduction = {name: 'production', expression: "has(object.metadata.labels) && has(object.metadata.labels.prod) && object.metadata.labels.prod == 'true'"};
const refusal = 'failed to verify image with notary cert';
const signed = {expression: 'images.containers.map(image, verifyImageSignatures(image, [attestors.notary])).all(e, e > 0)', message: refusal};
const attestedBy = {expression: 'images.containers.map(image, verifyAttestationSignatures(image, attestations.sbom, [attestors.notary])).all(e, e > 0)', message: 'no list of parts'};
const payload = {expression: "images.containers.map(image, extractPayload(image, attestations.sbom).bomFormat == 'CycloneDX').all(e, e)", message: 'another list of parts'};
const rules = (resources: readonly string[], group = '') => ({resourceRules: [{apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE'], resources}]});

function policyOf(name: string, more: object = {}, {kind = 'ImageValidatingPolicy', namespace}: {readonly kind?: string; readonly namespace?: string} = {}): Thing {
  return {
    apiVersion: 'policies.kyverno.io/v1beta1',
    kind,
    metadata: {name, ...(namespace !== undefined && {namespace})},
    spec: {
      webhookConfiguration: {timeoutSeconds: 20},
      matchConstraints: rules(['pods']),
      matchConditions: [inProduction],
      matchImageReferences: [{glob: `${world.hosts.referrers}/*`}],
      credentials: {allowInsecureRegistry: true},
      validationConfigurations: off,
      attestors: [{name: 'notary', notary: {certs: {value: attested.certificate}}}],
      attestations: [{name: 'sbom', referrer: {type: 'sbom/cyclone-dx'}}],
      validations: [signed, attestedBy, payload],
      ...more,
    },
  };
}

const labels = {prod: 'true', app: 'web'};

function pod(name: string, image: string, more: {readonly annotations?: Readonly<Record<string, string>>; readonly namespace?: string} = {}): Thing {
  const object = podOf(name, image, more);
  return {...object, metadata: {...object.metadata, labels}};
}

function workload(kind: 'Deployment' | 'StatefulSet' | 'CronJob', name: string, image: string): Thing {
  const template = {metadata: {labels}, spec: {containers: [{name: 'c', image}]}};
  const metadata = {name, namespace: 'shop', labels};
  if (kind === 'CronJob') {
    const job = {metadata: {labels}, spec: {template: {...template, spec: {...template.spec, restartPolicy: 'OnFailure'}}}};
    return {apiVersion: 'batch/v1', kind, metadata, spec: {schedule: '*/5 * * * *', jobTemplate: job}};
  }
  const more = kind === 'StatefulSet' ? {serviceName: 'web'} : {};
  return {apiVersion: 'apps/v1', kind, metadata, spec: {replicas: 0, selector: {matchLabels: labels}, template, ...more}};
}

const create = (object: Thing, dryRun = true) => admit(operator, object, {dryRun});
const denial = (webhook: string, policy: string, text = refusal) => `admission webhook "ivpol.validate.kyverno.svc-${webhook}" denied the request: Policy ${policy} failed: ${text}`;

describe('what is signed, attested and says what is asked', () => {
  it('is admitted, in a Pod and in what makes Pods', async () => {
    await putCel(operator, [policyOf('checked')]);
    for (const object of [pod('good', signedImage()), workload('Deployment', 'good', signedImage())]) {
      const found = await create(object);
      expect(found.allowed, found.message).toBe(true);
    }
  });

  it('is denied in the policy’s own words, with the name of its webhook', async () => {
    await putCel(operator, [policyOf('checked')]);
    for (const object of [pod('bad', unsignedImage()), workload('Deployment', 'bad', unsignedImage())]) {
      expect((await create(object)).message).toBe(denial('fail-finegrained-checked', 'checked'));
    }
    expect((await create(podOf('elsewhere', unsignedImage()))).allowed, 'conditions leave it out').toBe(true);
    await putCel(operator, [policyOf('checked', {failurePolicy: 'Ignore', validationActions: ['Deny']})]);
    await eventually(async () => (await create(pod('bad', unsignedImage()))).message === denial('ignore-finegrained-checked', 'checked'), {what: 'the webhook of policies that ignore failures', timeoutMs: 60_000});
  });

  it('only warns where that is all that is asked', async () => {
    await putCel(operator, [policyOf('warned', {validationActions: ['Warn']})]);
    const found = await create(workload('Deployment', 'bad', unsignedImage()));
    expect(found.allowed, found.message).toBe(true);
    expect(found.warnings).toContain(`Policy warned failed: ${refusal}`);
  });

  it('is judged by a certificate of a ConfigMap of the object’s namespace', async () => {
    const keys: Thing = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'keys', namespace: 'shop'}, ...({data: {certificate: attested.certificate}} as object)};
    await write(operator, keys);
    const variables = [{name: 'cm', expression: 'resource.get("v1", "configmaps", object.metadata.namespace, "keys")'}];
    await putCel(operator, [policyOf('stored', {failurePolicy: 'Ignore', variables, attestors: [{name: 'notary', notary: {certs: {expression: 'variables.cm.data.certificate'}}}]})]);
    expect((await create(pod('bad', unsignedImage()))).message).toBe(denial('ignore-finegrained-stored', 'stored'));
    const found = await create(pod('good', signedImage()));
    expect(found.allowed, found.message).toBe(true);
  });

  it('is not believed by what somebody wrote into the object', async () => {
    await putCel(operator, [policyOf('forged', {matchConditions: [], webhookConfiguration: undefined, validations: [signed]})]);
    const outcomes = JSON.stringify({forged: {name: 'forged', status: 'pass', message: 'verified before'}});
    const found = await create(pod('forged', unsignedImage(), {annotations: {'kyverno.io/image-verification-outcomes': outcomes}}));
    expect(found.message).toBe(denial('fail', 'forged'));
  });
});

describe('ephemeral containers', () => {
  it('are kept out of a Pod that is there', async () => {
    const resources = {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods', 'pods/ephemeralcontainers']}]};
    const text = 'Ephemeral (debug) containers are not permitted.';
    const none = {expression: 'object.spec.?ephemeralContainers.orValue([]).size() == 0', message: text};
    await putCel(operator, [policyOf('no-debug', {matchConstraints: resources, matchConditions: [], matchImageReferences: [{glob: '*'}], attestations: undefined, validations: [none]})]);
    const object = pod('web', unsignedImage());
    expect((await create(object, false)).allowed).toBe(true);
    const spec = {ephemeralContainers: [{name: 'tool', image: unsignedImage(), targetContainerName: 'c'}]};
    const {status, body} = await operator.cluster.request<{message?: string}>('PATCH', `${pathOf(object)}/ephemeralcontainers`, {spec}, {contentType: 'application/strategic-merge-patch+json'});
    expect(status).toBe(400);
    expect(body.message).toContain(text);
    await operator.cluster.request('DELETE', pathOf(object));
  });
});

describe('digests', () => {
  const bare = {matchConditions: [], attestors: [], attestations: [], validations: [{expression: 'true'}]};

  it.each([
    ['are put behind tags', true],
    ['are not where that is off', false],
  ])('%s without anybody to sign', async (_, mutateDigest) => {
    await putCel(operator, [policyOf('pinned', {...bare, validationConfigurations: {...off, mutateDigest}})]);
    const found = await create(pod('any', unsignedImage()));
    expect(found.image, found.message).toBe(mutateDigest ? `${unsignedImage()}@${attested.digests.bare}` : unsignedImage());
  });
});

describe('what is derived for Pod controllers', () => {
  const defaults = {mutateDigest: true, verifyDigest: true, required: true};
  const autogen = (...controllers: readonly string[]) => ({autogen: {podControllers: {controllers}}, failurePolicy: 'Ignore', validationActions: ['Deny'], validationConfigurations: defaults});
  const at = (path: string) => `has(object.${path}.metadata.labels) && has(object.${path}.metadata.labels.prod) && object.${path}.metadata.labels.prod == 'true'`;

  it.each<[string, readonly string[], readonly ('Deployment' | 'StatefulSet' | 'CronJob')[]]>([
    ['deployments and cronjobs', ['deployments', 'cronjobs'], ['Deployment', 'CronJob']],
    ['deployments and statefulsets', ['deployments', 'statefulsets'], ['Deployment', 'StatefulSet']],
  ])('%s are told and judged', async (_, controllers, kinds) => {
    const policy = policyOf('derived', autogen(...controllers));
    await putCel(operator, [policy]);
    const {autogen: told} = await celStatusOf(operator, policy);
    const own = policy.spec as Readonly<Record<string, unknown>>;
    const {attestors, attestations, matchImageReferences, validations, webhookConfiguration} = own;
    const common = {attestors, attestations, matchImageReferences, validations, webhookConfiguration, validationActions: ['Deny'], failurePolicy: 'Ignore', validationConfigurations: defaults, autogen: own['autogen']};
    const apps = controllers.filter(controller => controller !== 'cronjobs');
    expect(told?.configs['defaults']).toMatchObject({spec: {...common, matchConditions: [{name: 'production', expression: at('spec.template')}], matchConstraints: rules(apps, 'apps')}});
    if (controllers.includes('cronjobs')) {
      expect(told?.configs['cronjobs']).toMatchObject({spec: {...common, matchConditions: [{name: 'production', expression: at('spec.jobTemplate.spec.template')}], matchConstraints: rules(['cronjobs'], 'batch')}});
    }
    for (const kind of kinds) {
      const good = await create(workload(kind, 'good', signedImage()));
      expect(good, good.message).toMatchObject({allowed: true, image: `${signedImage()}@${attested.digests.notation}`});
      expect((await create(workload(kind, 'bad', unsignedImage()))).allowed, kind).toBe(false);
    }
  });

  it('is nothing where nothing is asked, or the policy is about more than Pods', async () => {
    const none = policyOf('none', {autogen: {podControllers: {controllers: []}}});
    const both = policyOf('both', {matchConstraints: {resourceRules: [...rules(['pods']).resourceRules, ...rules(['deployments'], 'apps').resourceRules]}});
    await putCel(operator, [none, both]);
    for (const policy of [none, both]) expect((await celStatusOf(operator, policy)).autogen ?? {}).toEqual({});
  });
});

describe('exceptions', () => {
  const exception = (name: string): Thing => ({
    apiVersion: 'policies.kyverno.io/v1beta1',
    kind: 'PolicyException',
    metadata: {name: 'named', namespace: 'shop'},
    spec: {policyRefs: [{kind: 'ImageValidatingPolicy', name}], matchConditions: [{name: 'named', expression: "object.metadata.name.startsWith('skipped')"}]},
  });
  const kinds = ['Deployment', 'StatefulSet', 'CronJob'] as const;

  it('free what they name, controllers of Pods too', async () => {
    const controllers = {autogen: {podControllers: {controllers: ['deployments', 'cronjobs', 'statefulsets']}}};
    await putCel(operator, [exception('freed'), policyOf('freed', controllers)]);
    for (const kind of kinds) {
      await eventually(async () => (await create(workload(kind, 'skipped', unsignedImage()))).allowed, {what: `the exception of a ${kind}`, timeoutMs: 60_000});
      expect((await create(workload(kind, 'bad', unsignedImage()))).allowed, kind).toBe(false);
      expect((await create(workload(kind, 'good', signedImage()))).allowed, kind).toBe(true);
    }
  });

  it('of other policies free nothing', async () => {
    await putCel(operator, [exception('another'), policyOf('kept', {failurePolicy: 'Ignore'})]);
    expect((await create(workload('Deployment', 'skipped', unsignedImage()))).message).toBe(denial('ignore-finegrained-kept', 'kept'));
    expect((await create(workload('Deployment', 'good', signedImage()))).allowed).toBe(true);
  });
});

describe('data of images', () => {
  it('are at hand before anything is verified', async () => {
    const variables = [
      {name: 'image', expression: `image.GetMetadata("${signedImage()}")`},
      {name: 'exist', expression: 'variables.image != null'},
    ];
    const validations = [{expression: '!variables.exist', messageExpression: "'expect variables.exist to be false, got: ' + string(variables.exist)"}, signed];
    await putCel(operator, [policyOf('data', {matchConditions: [], webhookConfiguration: undefined, variables, validations})]);
    expect((await create(pod('any', signedImage()))).message).toBe(denial('fail', 'data', 'expect variables.exist to be false, got: true'));
  });

  it('tell what an image was built for', async () => {
    const variables = [
      {name: 'reference', expression: 'object.spec.containers[0].image'},
      {name: 'image', expression: 'image.GetMetadata(variables.reference)'},
    ];
    const validations = (wanted: string) => [{expression: `variables.image.config.architecture == "${wanted}"`, messageExpression: "'image architecture is not supported: ' + string(variables.image.config.architecture)"}];
    await putCel(operator, [policyOf('arch', {matchConditions: [], webhookConfiguration: undefined, variables, validations: validations('amd64')})]);
    const found = await create(pod('any', unsignedImage()));
    expect(found.allowed, found.message).toBe(true);
    await putCel(operator, [policyOf('arch', {matchConditions: [], webhookConfiguration: undefined, variables, validations: validations('arm64')})]);
    await eventually(async () => (await create(pod('any', unsignedImage()))).message === denial('fail', 'arch', 'image architecture is not supported: amd64'), {what: 'the changed policy', timeoutMs: 60_000});
  });
});

describe('reports', () => {
  interface Report {
    readonly scope?: {readonly kind: string; readonly name: string};
    readonly metadata: {readonly ownerReferences?: ReadonlyArray<{readonly kind: string; readonly name: string}>; readonly labels?: Readonly<Record<string, string>>};
    readonly summary?: Readonly<Record<string, number>>;
    readonly results?: ReadonlyArray<{readonly policy: string; readonly result: string; readonly message?: string; readonly source: string; readonly scored?: boolean; readonly properties?: Readonly<Record<string, string>>}>;
  }
  const reportOf = async (name: string, namespace = 'shop') => {
    const {body} = await operator.cluster.request<{items: readonly Report[]}>('GET', `/apis/wgpolicyk8s.io/v1alpha2/namespaces/${namespace}/policyreports`);
    return body.items.find(({scope}) => scope?.name === name && scope.kind === 'Deployment');
  };
  const reporting = (name: string, more: object = {}, place: {readonly kind?: string; readonly namespace?: string} = {}) =>
    policyOf(
      name,
      {
        validationActions: ['Audit'],
        failurePolicy: 'Ignore',
        matchConditions: [],
        matchConstraints: {resourceRules: [{apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments']}]},
        variables: [{name: 'production', expression: "has(object.metadata.labels) && 'prod' in object.metadata.labels && object.metadata.labels['prod'] == 'true'"}],
        validations: [{expression: 'variables.production == true', messageExpression: "'Deployments are for production'"}, signed],
        ...more,
      },
      place,
    );
  const wanted = {summary: {error: 0, fail: 1, pass: 0, skip: 0, warn: 0}, metadata: {labels: {'app.kubernetes.io/managed-by': 'kyverno'}}};

  it('and Events tell of what was admitted nevertheless, with annotations of the audit', async () => {
    const auditAnnotations = [{key: 'label', valueExpression: "has(object.metadata.labels) && 'prod' in object.metadata.labels ? string(object.metadata.labels['prod']) : ''"}];
    await putCel(operator, [reporting('audited', {auditAnnotations})]);
    expect((await create(workload('Deployment', 'audited', unsignedImage()), false)).allowed).toBe(true);
    await eventually(async () => (await reportOf('audited'))?.results?.[0]?.result === 'fail', {what: 'the report', timeoutMs: 90_000});
    const report = (await reportOf('audited'))!;
    expect(report).toMatchObject({...wanted, metadata: {...wanted.metadata, ownerReferences: [{kind: 'Deployment', name: 'audited'}]}});
    expect(report.results).toMatchObject([{policy: 'audited', result: 'fail', message: refusal, scored: true, source: 'KyvernoImageValidatingPolicy', properties: {label: 'true'}}]);
    const events = async (namespace: string) => {
      const {body} = await operator.cluster.request<{items: ReadonlyArray<{reason: string; reportingComponent: string; involvedObject: {kind: string; name: string}}>}>('GET', `/api/v1/namespaces/${namespace}/events`);
      return body.items.filter(({reason, reportingComponent}) => reason === 'PolicyViolation' && reportingComponent === 'kyverno-admission').map(({involvedObject: {kind, name}}) => `${kind} ${name}`);
    };
    await eventually(async () => (await events('default')).includes('ImageValidatingPolicy audited'), {what: 'an Event of the policy', timeoutMs: 60_000});
    await eventually(async () => (await events('shop')).includes('Deployment audited'), {what: 'an Event of the object', timeoutMs: 60_000});
    await operator.cluster.request('DELETE', pathOf(workload('Deployment', 'audited', '')));
  });

  it.each([
    ['ImageValidatingPolicy', undefined],
    ['NamespacedImageValidatingPolicy', 'shop'],
  ])('tell of what was there before: %s', async (kind, namespace) => {
    const name = `scanned-${kind.toLowerCase().slice(0, 5)}`;
    expect((await create(workload('Deployment', name, unsignedImage()), false)).allowed).toBe(true);
    const policy = reporting('scanned', {evaluation: {admission: {enabled: false}, background: {enabled: true}}}, {kind, ...(namespace !== undefined && {namespace})});
    await applyCel(operator, policy);
    const conditions = async () => (await celStatusOf(operator, policy)).conditionStatus?.conditions ?? [];
    await eventually(async () => (await conditions()).some(({type, status, message}) => type === 'RBACPermissionsGranted' && status === 'True' && message === 'Policy is ready for reporting.'), {what: 'ready for reporting', timeoutMs: 60_000});
    await eventually(async () => (await reportOf(name))?.results?.some(({result, message}) => result === 'fail' && message === refusal) === true, {what: 'the scan reports', timeoutMs: 90_000});
    expect(await reportOf(name)).toMatchObject({...wanted, results: [{scored: true, source: 'KyvernoImageValidatingPolicy'}]});
    await operator.cluster.request('DELETE', pathOf(workload('Deployment', name, '')));
    await operator.cluster.request('DELETE', celPath(policy));
  });
});

describe('what the installation has not', () => {
  it.each([
    ['a provider', {credentials: {providers: ['github']}}, 'no credentials of provider github (GITHUB_TOKEN is not set)'],
    ['a key service', {attestors: [{name: 'notary', cosign: {key: {kms: 'awskms:///alias/release'}}}], validations: [signed]}, 'key service awskms:// needs a plug-in'],
  ])('is told before anything is asked by it: %s', async (_, more, why) => {
    const policy = policyOf('lacking', more);
    await applyCel(operator, policy);
    const status = async () => (await celStatusOf(operator, policy)).conditionStatus;
    await eventually(async () => JSON.stringify((await status()) ?? '').includes(why), {what: 'the reason', timeoutMs: 60_000});
    expect((await status())?.ready).toBe(false);
  });
});

describe('policies of a namespace', () => {
  it('judge what is in it, and nothing else', async () => {
    await putCel(operator, [policyOf('own', {}, {kind: 'NamespacedImageValidatingPolicy', namespace: 'team'})]);
    expect((await create(pod('bad', unsignedImage(), {namespace: 'team'}))).message).toContain(`failed: ${refusal}`);
    expect((await create(pod('good', signedImage(), {namespace: 'team'}))).allowed).toBe(true);
    expect((await create(pod('bad', unsignedImage()))).allowed).toBe(true);
  });
});
