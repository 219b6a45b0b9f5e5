import {readFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type Cluster, startCluster} from '../cluster/cluster.js';
import {eventually} from '../cluster/eventually.js';
import {readBundle} from './bundle-on-disk.js';
import {operatorFrameworkApi} from './programs.js';
import {renderCsv} from './render-csv.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.kubectl(['create', 'namespace', 'kyverno']);
  const folder = join(await operatorFrameworkApi(), 'crds');
  for (const plural of ['clusterserviceversions', 'catalogsources', 'subscriptions', 'operatorgroups'])
    await cluster.kubectl(['create', '-f', join(folder, `operators.coreos.com_${plural}.yaml`)]);
});
afterAll(() => cluster?.stop());

const asInput = (items: readonly object[]) => JSON.stringify({apiVersion: 'v1', kind: 'List', items});
const bundle = readBundle();

describe('on an API server', () => {
  it('the ClusterServiceVersion is one, field by field', async () => {
    const csv = {...bundle.csv, metadata: {...bundle.csv.metadata, namespace: 'kyverno'}};
    await eventually(async () => (await cluster.request('GET', '/apis/operators.coreos.com/v1alpha1/clusterserviceversions')).status === 200, {what: 'the kinds of OLM'});
    const answer = await cluster.request<{message?: string}>('POST', '/apis/operators.coreos.com/v1alpha1/namespaces/kyverno/clusterserviceversions?dryRun=All&fieldValidation=Strict', csv);
    expect(answer.body.message).toBeUndefined();
    expect(answer.status).toBe(201);
  });

  it('every definition of the bundle is accepted', async () => {
    for (const definition of bundle.definitions) {
      const answer = await cluster.request<{message?: string}>('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation=Strict', definition);
      expect(answer.status, `${definition.metadata.name}: ${answer.body.message}`).toBe(201);
    }
  });

  it('what OLM makes of it is accepted, without a warning, and collects rights by label', async () => {
    const objects = renderCsv(bundle.csv, bundle.beside, 'kyverno');
    const {stdout, stderr} = await cluster.kubectl(['apply', '--validate=strict', '-f', '-'], {input: asInput(objects)});
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toHaveLength(objects.length);
    const can = async (verb: string, resource: string) => (await cluster.kubectl(['auth', 'can-i', verb, resource, '--as', 'system:serviceaccount:kyverno:kyverno'], {input: ''}).catch((error: {stdout?: string}) => ({stdout: error.stdout ?? ''}))).stdout.trim();
    expect(await can('list', 'pods')).toBe('yes');
    expect(await can('list', 'secrets')).not.toBe('yes');
    const grant = {apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: {name: 'more', labels: {'rbac.kyverno.io/aggregate-to-reports-controller': 'true'}}, rules: [{apiGroups: [''], resources: ['secrets'], verbs: ['list']}]};
    await cluster.kubectl(['apply', '-f', '-'], {input: asInput([grant])});
    await eventually(async () => (await can('list', 'secrets')) === 'yes', {what: 'the grant'});
  });

  it('the manifest is accepted by server-side dry run', async () => {
    const file = resolve(import.meta.dirname, '../../install/manifest.yaml');
    const {stdout} = await cluster.kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', file]);
    const documents = (await readFile(file, 'utf8')).split(/^---$/m).length;
    expect(stdout.trim().split('\n')).toHaveLength(documents);
  });
});
