import {join} from 'node:path';
import {X509Certificate} from 'node:crypto';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {readDump} from './support/dump.js';
import {type Item, idOf, pathOf} from './support/kinds.js';
import {readDefinitions, takeoverData} from './support/outside-data.js';
import {added, ofKind, recreated, type Snapshot, takeSnapshot} from './support/snapshot.js';
import {startTakeoverCluster, type TakeoverCluster} from './support/takeover-cluster.js';
import {describeWayBack} from './support/way-back.js';

const data = takeoverData();
const namespaces = ['team-a', 'team-b', 'team-c', 'platform', 'default'];
const made = [
  'networking.k8s.io/NetworkPolicy/team-c/default-deny',
  '/Secret/team-c/regcred',
  '/Secret/team-c/shared-key',
  '/ConfigMap/team-c/proxy',
  '/ResourceQuota/team-c/app-quota',
  '/ConfigMap/team-a/marker-worker',
  '/ConfigMap/team-a/late-companion',
].sort();
const failing = ['ur-6jnh9', 'ur-fv79n'];
/**
 * Image rules ask registries that do not exist. Results of policies that the API server judges by are recorded from before
 * there was a copy; they come under the copy's name since. A JSON patch on Pods is meant for the template of their controllers.
 */
const toldOtherwise = /verify-signatures|signed|limit-replicas-cel|vpol-require-owner|nmpol-mark-pods/;

interface Webhooks extends Item {
  readonly webhooks?: readonly {readonly failurePolicy: string; readonly clientConfig: {readonly caBundle?: string; readonly service?: {readonly namespace: string; readonly name: string; readonly path: string}}}[];
}

interface Report extends Item {
  readonly scope?: {readonly uid: string};
  readonly results?: readonly {readonly policy: string; readonly rule?: string; readonly result: string; readonly source?: string}[];
}

describe.skipIf(data === undefined)('a cluster of 1.19.1 (skipped without its recording: set CONFORMANCE_DIR)', () => {
  const folder = data ?? '';
  let takeover: TakeoverCluster;
  let before: Snapshot;
  let after: Snapshot;
  let dump: readonly Item[];

  beforeAll(async () => {
    dump = readDump(join(folder, 'dump-1.19.1'));
    takeover = await startTakeoverCluster({definitions: readDefinitions(join(folder, 'crds-1.19.1')), items: dump});
    before = takeover.before;
    // As its Deployments had it.
    await takeover.takeOver(['--exceptionNamespace=*']);
    await eventually(
      async () => {
        const now = await takeSnapshot(takeover.cluster);
        const open = ofKind(now, 'UpdateRequest').filter(({metadata, status}) => !(failing.includes(metadata.name) && (status as {state?: string})?.state === 'Failed'));
        const ephemeral = [...before.keys()].filter(id => id.includes('EphemeralReport/') && now.has(id));
        return open.length === 0 && ephemeral.length === 0 && made.every(id => now.has(id));
      },
      {what: 'the take-over is through', timeoutMs: 180_000, everyMs: 1_000},
    ).catch(async (error: unknown) => {
      const now = await takeSnapshot(takeover.cluster);
      console.log('requests', JSON.stringify(ofKind(now, 'UpdateRequest').map(({metadata, status, spec}) => [metadata.name, status, (spec as {policy: string}).policy])));
      console.log('missing', made.filter(id => !now.has(id)), 'ephemeral', [...before.keys()].filter(id => id.includes('EphemeralReport/') && now.has(id)).length);
      throw error;
    });
    // Scans follow what is read first.
    await eventually(async () => ofKind(await takeSnapshot(takeover.cluster), 'PolicyReport').length >= ofKind(before, 'PolicyReport').length + 9, {what: 'reports on what had none', timeoutMs: 120_000, everyMs: 1_000});
    after = await takeSnapshot(takeover.cluster);
  });

  afterAll(() => takeover?.stop());

  it('makes no object anew', () => {
    expect(recreated(before, after)).toEqual([]);
  });

  it('1. leaves generated objects as they are, but for the one whose source has changed', () => {
    const downstreams = readDump(join(folder, 'dump-1.19.1'), digits => digits === '22');
    const written = downstreams.map(idOf).filter(id => after.get(id)?.metadata.resourceVersion !== before.get(id)?.metadata.resourceVersion);
    expect(written).toEqual(['/Secret/team-b/regcred']);
    const labelsOf = (snapshot: Snapshot) => downstreams.map(item => snapshot.get(idOf(item))?.metadata.labels);
    expect(labelsOf(after)).toEqual(labelsOf(before));
    const token = (snapshot: Snapshot, namespace: string) => (snapshot.get(`/Secret/${namespace}/regcred`) as unknown as {data: {token: string}}).data.token;
    expect(token(after, 'team-b')).toBe(token(after, 'platform'));
    const sources = readDump(join(folder, 'dump-1.19.1'), digits => digits === '20');
    for (const source of sources) expect(after.get(idOf(source))?.metadata.labels).toEqual(before.get(idOf(source))?.metadata.labels);
  });

  it('2. makes what the requests ask for, and nothing else', () => {
    const kinds = /^(\/(ConfigMap|Secret|ResourceQuota)|networking\.k8s\.io\/NetworkPolicy)\//;
    expect(added(before, after, id => kinds.test(id) && namespaces.includes(id.split('/')[2]!) && !id.endsWith('/kube-root-ca.crt'))).toEqual(made);
  });

  it('3. finishes every request; one that cannot be done says why, and is not there for ever', () => {
    const left = ofKind(after, 'UpdateRequest').map(({metadata, status}) => [metadata.name, status as {state: string; message?: string}] as const);
    for (const [name, {state, message}] of left) {
      expect(failing).toContain(name);
      expect([state, message?.length ?? 0]).toEqual(['Failed', expect.any(Number)]);
    }
    for (const name of ['api', 'web', 'worker']) {
      const {template, metadata} = {template: undefined, ...after.get(`apps/Deployment/team-a/${name}`)!};
      expect(template).toBeUndefined();
      expect(metadata.annotations?.['org.example/settings-revision']).toBe('r2');
    }
  });

  it('4. keeps one report per object, under its name', () => {
    const reports = ofKind(after, 'PolicyReport', 'ClusterPolicyReport') as readonly Report[];
    const subjects = reports.map(({scope, metadata}) => scope?.uid ?? metadata.name);
    expect(new Set(subjects).size).toBe(subjects.length);
    for (const {metadata, scope} of reports) if (scope !== undefined) expect(metadata.name).toBe(scope.uid);
    expect([...before.keys()].filter(id => id.includes('EphemeralReport/') && after.has(id))).toEqual([]);
    const gone = (ofKind(before, 'PolicyReport', 'ClusterPolicyReport') as readonly Report[]).filter(report => !after.has(idOf(report)));
    expect(gone.map(({scope}) => scope)).toEqual([]);
    const told = (report: Report | undefined) => (report?.results ?? []).filter(({policy}) => !toldOtherwise.test(policy)).map(({policy, rule, result}) => `${policy}/${rule ?? ''} ${result}`).sort();
    const changed = (ofKind(before, 'PolicyReport', 'ClusterPolicyReport') as readonly Report[]).flatMap(report => {
      const now = told(after.get(idOf(report)) as Report | undefined);
      const was = told(report);
      const differs = [...was.filter(line => !now.includes(line)).map(line => `- ${line}`), ...now.filter(line => !was.includes(line)).map(line => `+ ${line}`)];
      return differs.length === 0 ? [] : [`${(report.scope as {kind?: string; name?: string})?.kind}/${(report.scope as {name?: string})?.name}: ${differs.join(', ')}`];
    });
    expect(changed).toEqual([]);
  });

  it('5. leaves no webhook that leads to a Service without endpoints', async () => {
    const ca = Buffer.from((await takeover.read<{data: Record<string, string>}>({apiVersion: 'v1', kind: 'Secret', metadata: {namespace: 'kyverno', name: 'kyverno-svc.kyverno.svc.kyverno-tls-ca'}}))!.data['tls.crt']!, 'base64').toString('base64');
    for (const {metadata, webhooks = []} of ofKind(after, 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration') as readonly Webhooks[]) {
      if (metadata.labels?.['webhook.kyverno.io/managed-by'] !== 'kyverno') continue;
      for (const {clientConfig} of webhooks) {
        expect(clientConfig.service).toMatchObject({namespace: 'kyverno', name: 'kyverno-svc'});
        expect(clientConfig.caBundle).toBe(ca);
      }
    }
    const created = await takeover.cluster.request('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'asked'}});
    expect(created.status).toBe(201);
  });

  it('6. uses Secrets that fit together', () => {
    const name = (part: string) => `/Secret/kyverno/kyverno-svc.kyverno.svc.kyverno-tls-${part}`;
    const pem = (part: string) => Buffer.from((after.get(name(part)) as unknown as {data: Record<string, string>}).data['tls.crt']!, 'base64').toString('utf8');
    const leaf = new X509Certificate(pem('pair'));
    const authorities = pem('ca').match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g)!.map(text => new X509Certificate(text));
    expect(authorities.some(authority => leaf.verify(authority.publicKey))).toBe(true);
    expect(Date.parse(leaf.validTo)).toBeGreaterThan(Date.now());
  });

  it('7. has every policy Ready, unchanged and owned as before', () => {
    const unready: string[] = [];
    for (const [id, was] of before) {
      if (!/^(kyverno\.io\/(Cluster)?Policy|policies\.kyverno\.io\/\w+Policy)\//.test(id)) continue;
      const now = after.get(id)!;
      expect([id, now.metadata.generation, now['spec']]).toEqual([id, was.metadata.generation, was['spec']]);
      const owners = ({metadata}: Item) => (metadata.managedFields ?? []).filter(({subresource}) => subresource === undefined).map(({manager, operation, fieldsV1}) => [manager, operation, fieldsV1]);
      expect(owners(now)).toEqual(owners(was));
      const status = now['status'] as {conditions?: readonly {type: string; status: string; message?: string}[]; conditionStatus?: {ready?: boolean}} | undefined;
      const ready = status?.conditions?.find(({type}) => type === 'Ready');
      if (ready?.status !== 'True' && !id.includes('DeletingPolicy')) unready.push(`${id}: ${ready?.message ?? 'no condition'}`);
    }
    // What is not served yet says so; see the release notes.
    expect(unready.filter(line => !/image|verif|signature/i.test(line))).toEqual([]);
    if (unready.length > 0) console.log(`policies that are not Ready:\n${unready.join('\n')}`);
  });

  it('8. keeps copies of policies that the API server judges by', () => {
    const names = (snapshot: Snapshot) => ofKind(snapshot, 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding').map(({kind, metadata}) => `${kind} ${metadata.name} ${metadata.uid}`);
    expect(names(after)).toEqual(names(before));
  });

  it('9. cleans up nothing that has to live', () => {
    const living = [...before.keys()].filter(id => /\/(temp-keep|ttl-far)$/.test(id));
    expect(living.length).toBeGreaterThanOrEqual(2);
    expect(living.filter(id => !after.has(id))).toEqual([]);
  });

  it('11. leaves what belongs to the installation before it', () => {
    const theirs = dump.filter(item => ['Deployment', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding', 'ConfigMap'].includes(item.kind) && (item.metadata.namespace === 'kyverno' || item.metadata.namespace === undefined));
    const gone = theirs.filter(item => !after.has(idOf(item)));
    expect(gone.map(idOf)).toEqual([]);
    expect(after.get('/ConfigMap/kyverno/kyverno')?.['data']).toEqual(before.get('/ConfigMap/kyverno/kyverno')?.['data']);
  });

  describeWayBack(() => ({takeover, definitions: readDefinitions(join(folder, 'crds-1.19.1')), dump}));

  it('has its definitions replaced by those of before, and back', async () => {
    for (const item of ofKind(after, 'ClusterPolicy').slice(0, 1)) expect((await takeover.cluster.request('GET', pathOf(item))).status).toBe(200);
  });
});
