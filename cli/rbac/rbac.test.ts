import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {parseAllDocuments} from 'yaml';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {JsonObject} from '../../engine/json/types.js';
import {openCluster} from '../apply/cluster/open-cluster.js';
import {messageOf} from '../files/file-error.js';
import {collectStreams} from '../output/testing/collected-streams.js';
import {type RbacFlags, runRbac} from './run-rbac.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rbac-'));
});
afterAll(() => rm(folder, {recursive: true, force: true}));

const defaults: RbacFlags = {namespace: 'kyverno', serviceAccount: 'kyverno', output: 'yaml'};

async function rbac(subjects: readonly string[], flags: Partial<RbacFlags> = {}) {
  const streams = collectStreams();
  try {
    return {exit: await runRbac(subjects, {...defaults, ...flags}, {streams, openCluster}), ...streams.written};
  } catch (error) {
    return {exit: 1, out: '', err: messageOf(error)};
  }
}

/** Rules as `Kind name: group/resource[names] verbs`. */
function rulesIn(text: string): string[] {
  return parseAllDocuments(text)
    .map(document => document.toJS() as {kind: string; metadata: {name: string; namespace?: string}; rules?: Array<{apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[]}>} | null)
    .flatMap(object =>
      (object?.rules ?? []).flatMap(rule =>
        rule.resources.map(resource => `${object?.metadata.namespace ?? ''}${object?.metadata.name.replace(/^kyverno:[^:]*/, '')} ${rule.apiGroups.join()}/${resource}${rule.resourceNames === undefined ? '' : `[${rule.resourceNames.join()}]`} ${rule.verbs.join(' ')}`),
      ),
    );
}

const cluster = (spec: string) => `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: one}\nspec:\n${spec.replace(/^/gm, '  ')}`;
const rule = (body: string) => `rules:\n- name: r\n${body.replace(/^/gm, '  ')}`;
const onPods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const ofCel = (kind: string, spec: string, metadata = '{name: one}') => `apiVersion: policies.kyverno.io/v1beta1\nkind: ${kind}\nmetadata: ${metadata}\nspec:\n${spec.replace(/^/gm, '  ')}`;

const imageEntry = (secrets: string) => `context: [{name: i, imageRegistry: {reference: a, imageRegistryCredentials: {secrets: ${secrets}}}}]`;

const rows: ReadonlyArray<readonly [string, string, readonly string[], readonly string[]]> = [
  ['a scan of Pods is granted by the installation', cluster(rule(`${onPods}\nvalidate: {message: m, pattern: {metadata: {name: "?*"}}}`)), [], []],
  ['a scan of Secrets is not', cluster(rule('match: {any: [{resources: {kinds: [Secret]}}]}\nvalidate: {message: m, pattern: {metadata: {name: "?*"}}}')), [':reports /secrets get list watch'], []],
  ['what is judged at admission alone needs nothing', cluster(`background: false\n${rule('match: {any: [{resources: {kinds: [Secret]}}]}\nvalidate: {message: m, pattern: {metadata: {name: "?*"}}}')}`), [], []],
  [
    'a synchronized copy of a Secret',
    cluster(rule('match: {any: [{resources: {kinds: [Namespace]}}]}\ngenerate: {synchronize: true, apiVersion: v1, kind: Secret, name: pull, namespace: "{{request.object.metadata.name}}", clone: {namespace: default, name: pull}}')),
    [':background /secrets get list watch create update patch delete'],
    [],
  ],
  [
    'a copy that is made once, from one namespace into another',
    cluster(rule('match: {any: [{resources: {kinds: [Namespace]}}]}\ngenerate: {apiVersion: v1, kind: Secret, name: pull, namespace: shop, clone: {namespace: default, name: pull}}')),
    ['default /secrets get', 'shop /secrets get create'],
    [],
  ],
  [
    'a binding, whose role is bound by name',
    cluster(rule('match: {any: [{resources: {kinds: [Namespace]}}]}\ngenerate: {kind: RoleBinding, name: admins, namespace: "{{request.object.metadata.name}}", data: {roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}, subjects: []}}')),
    [':background rbac.authorization.k8s.io/clusterroles[admin] bind'],
    [],
  ],
  [
    'a binding of one namespace to a role that a variable tells',
    cluster(rule('match: {any: [{resources: {kinds: [Namespace]}}]}\ngenerate: {apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, name: admins, namespace: shop, data: {roleRef: {kind: Role, name: "{{request.object.metadata.name}}"}}}')),
    [],
    ['which role is bound is known only when the policy works'],
  ],
  [
    'a role, of which all that it gives is needed',
    cluster(rule('match: {any: [{resources: {kinds: [Namespace]}}]}\ngenerate: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, name: admins, namespace: shop, data: {rules: [{apiGroups: [""], resources: [secrets], resourceNames: [key], verbs: [get]}, {apiGroups: [apps], resources: [deployments], verbs: ["*"]}]}}')),
    ['shop /secrets[key] get', 'shop apps/deployments *'],
    [],
  ],
  [
    'several kinds of copies',
    cluster(rule('match: {any: [{resources: {kinds: [Namespace]}}]}\ngenerate: {synchronize: true, namespace: "{{request.object.metadata.name}}", cloneList: {namespace: default, kinds: [v1/Secret, v1/ConfigMap], selector: {matchLabels: {a: b}}}}')),
    [':background /secrets get list watch create update patch delete'],
    [],
  ],
  [
    'changes of existing objects and of a subresource',
    cluster(rule(`match: {any: [{resources: {kinds: [ConfigMap]}}]}\nmutate:\n  targets: [{apiVersion: apps/v1, kind: Deployment, name: web, namespace: shop}, {apiVersion: v1, kind: Node/status, name: "*"}]\n  patchStrategicMerge: {metadata: {labels: {a: b}}}`)),
    [':background /nodes update patch', ':background /nodes/status get list update patch', 'shop apps/deployments update patch'],
    [],
  ],
  [
    'calls of the API server, by namespace and name',
    cluster(rule(`${onPods}\ncontext: [{name: a, apiCall: {urlPath: "/api/v1/namespaces/shop/secrets/key"}}, {name: b, apiCall: {urlPath: "/apis/example.org/v1/namespaces/{{request.namespace}}/things?limit=5"}}, {name: c, apiCall: {method: POST, urlPath: "/apis/authorization.k8s.io/v1/localsubjectaccessreviews", data: [{key: kind, value: X}]}}]\nvalidate: {message: m, pattern: {metadata: {name: "?*"}}}`)),
    [':admission authorization.k8s.io/localsubjectaccessreviews create', ':admission example.org/things list', ':reports authorization.k8s.io/localsubjectaccessreviews create', ':reports example.org/things list', 'shop /secrets[key] get'],
    [],
  ],
  [
    'a call whose kind a variable tells',
    cluster(rule(`${onPods}\ncontext: [{name: a, apiCall: {urlPath: "/api/v1/{{ request.object.spec.{{request.namespace}} }}"}}]\nvalidate: {message: m, pattern: {metadata: {name: "?*"}}}`)),
    [],
    ['the kind that is read is known only when the policy works'],
  ],
  ['a kind that nobody knows', cluster(rule('match: {any: [{resources: {kinds: [Certificate]}}]}\nvalidate: {message: m, pattern: {metadata: {name: "?*"}}}')), [], ['no kind Certificate is known']],
  [
    'a clean-up',
    'apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: one}\nspec: {schedule: "* * * * *", match: {any: [{resources: {kinds: [Pod]}}]}}',
    [':cleanup /pods delete'],
    [],
  ],
  [
    'a clean-up of one namespace',
    'apiVersion: kyverno.io/v2\nkind: CleanupPolicy\nmetadata: {name: one, namespace: shop}\nspec: {schedule: "* * * * *", match: {any: [{resources: {kinds: [Secret]}}]}}',
    ['shop /secrets get list delete'],
    [],
  ],
  ['the removal that a rule names', cluster(rule('match: {any: [{resources: {kinds: [Job], namespaces: [shop]}}]}\ncleanup: {removeResources: [{kind: Job, selector: {matchLabels: {a: b}}}]}')), [':cleanup batch/jobs delete'], []],
  ['a DeletingPolicy', ofCel('DeletingPolicy', 'schedule: "* * * * *"\nmatchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [secrets]}]}\nconditions: [{name: a, expression: "true"}]'), [':cleanup /secrets get list delete'], []],
  [
    'a ValidatingPolicy that reads',
    ofCel('ValidatingPolicy', `matchConstraints: {resourceRules: [{apiGroups: [example.org], apiVersions: [v1], operations: [CREATE], resources: [things]}]}\nvariables: [{name: s, expression: 'resource.Get("v1", "secrets", "shop", "key")'}]\nvalidations: [{expression: "has(variables.s.data)"}]`),
    [':reports example.org/things get list watch', 'shop /secrets[key] get'],
    [],
  ],
  [
    'a GeneratingPolicy that writes its objects out',
    ofCel('GeneratingPolicy', `evaluation: {synchronize: {enabled: true}}\nmatchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [namespaces]}]}\nvariables: [{name: o, expression: '[{"apiVersion": dyn("v1"), "kind": dyn("Secret"), "metadata": dyn({"name": "x"})}]'}]\ngenerate: [{expression: "generator.Apply(object.metadata.name, variables.o)"}]`),
    [':background /secrets get list watch create update patch delete'],
    [],
  ],
  [
    'a GeneratingPolicy that copies what it reads',
    ofCel('GeneratingPolicy', `matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [namespaces]}]}\nvariables: [{name: s, expression: 'resource.Get("v1", "secrets", "default", "pull")'}]\ngenerate: [{expression: "generator.Apply(object.metadata.name, [variables.s])"}]`),
    [':background /secrets get create'],
    [],
  ],
  [
    'a MutatingPolicy for existing objects',
    ofCel('MutatingPolicy', `evaluation: {mutateExisting: {enabled: true}, background: {enabled: false}}\nmatchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]}\ntargetMatchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [deployments]}]}\nmutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: Object.metadata.labels{a: "b"}}}'}}]`),
    [':background apps/deployments update patch'],
    [],
  ],
  ['an entry of the global context', 'apiVersion: kyverno.io/v2\nkind: GlobalContextEntry\nmetadata: {name: one}\nspec: {kubernetesResource: {group: example.org, version: v1, resource: things}}', [':admission example.org/things get list watch'], []],
  ['pull secrets of an image entry, those beside the operator apart', cluster(rule(`${onPods}\n${imageEntry('[own, team/pull]')}\nvalidate: {message: m, deny: {}}`)), ['team /secrets[pull] get'], []],
  ['those of loops within loops', cluster(rule(`${onPods}\nvalidate: {message: m, foreach: [{list: request.object.spec.containers, foreach: [{list: element.env, ${imageEntry('[team/pull]')}, deny: {}}]}]}`)), ['team /secrets[pull] get'], []],
  ['those of changes in loops', cluster(rule(`${onPods}\nmutate: {foreach: [{list: request.object.spec.containers, ${imageEntry('[team/pull]')}, patchStrategicMerge: {a: b}}]}`)), ['team /secrets[pull] get'], []],
  ['those of a policy of a namespace', `apiVersion: kyverno.io/v1\nkind: Policy\nmetadata: {name: one, namespace: shop}\nspec:\n  ${rule(`${onPods}\n${imageEntry('[own]')}\nvalidate: {message: m, deny: {}}`).replaceAll('\n', '\n  ')}`, ['shop /secrets[own] get'], []],
  [
    'Secrets of verifyImages: credentials and keys',
    cluster(rule(`${onPods}\nverifyImages: [{imageReferences: ["*"], imageRegistryCredentials: {secrets: [own, team/pull]}, attestors: [{entries: [{keys: {secret: {name: key, namespace: keys}}}, {attestor: {entries: [{keys: {publicKeys: "k8s://keys/nested"}}]}}]}], attestations: [{type: t, attestors: [{entries: [{keys: {kms: "k8s://keys/kms"}}]}]}]}]`)),
    ['keys /secrets[key] get', 'keys /secrets[kms] get', 'keys /secrets[nested] get', 'team /secrets[pull] get'],
    [],
  ],
  ['a key in a Secret of signed manifests', cluster(rule(`${onPods}\nvalidate: {manifests: {attestors: [{entries: [{keys: {publicKeys: "k8s://keys/key"}}]}]}}`)), ['keys /secrets[key] get'], []],
  [
    'a Secret that a variable names',
    cluster(rule(`${onPods}\nverifyImages: [{imageReferences: ["*"], imageRegistryCredentials: {secrets: ["{{request.namespace}}/pull"]}, attestors: [{entries: [{keys: {secret: {name: key, namespace: keys}}}]}]}]`)),
    ['keys /secrets[key] get'],
    ['one: spec.rules[0].verifyImages[0].imageRegistryCredentials.secrets: which Secret is read is known only when the policy works'],
  ],
  [
    'Secrets of an ImageValidatingPolicy',
    ofCel('ImageValidatingPolicy', 'matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}\ncredentials: {secrets: [own, team/pull]}\nattestors: [{name: a, cosign: {key: {kms: "k8s://keys/key"}, source: {PullSecrets: [{name: team/signatures}]}}}]\nvalidations: [{expression: "true"}]'),
    ['keys /secrets[key] get', 'team /secrets[pull] get', 'team /secrets[signatures] get'],
    [],
  ],
];

describe('kyverno rbac', () => {
  it.each(rows)('%s', async (title, text, rules, untold) => {
    const file = join(folder, `${title.replace(/\W+/g, '-')}.yaml`);
    await writeFile(file, text);
    const {exit, out, err} = await rbac([file]);
    expect(exit, err).toBe(0);
    expect(rulesIn(out).sort()).toEqual([...rules].sort());
    for (const sentence of untold) {
      expect(err).toContain(sentence);
      expect(out).toContain(`# to be granted by hand, one: `);
    }
    if (untold.length === 0) expect(err).not.toContain('Warning');
  });

  it('prints a ClusterRole that the installation collects', async () => {
    const file = join(folder, 'secrets.yaml');
    await writeFile(file, rows[1]![1]);
    const {out} = await rbac([file]);
    expect(parseAllDocuments(out).map(document => document.toJS())).toEqual([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: {name: 'kyverno:one:reports', labels: {'rbac.kyverno.io/aggregate-to-reports-controller': 'true'}},
        rules: [{apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch']}],
      },
    ]);
  });

  it('prints Roles bound to the account that is named', async () => {
    const file = join(folder, 'narrow.yaml');
    const [, text] = rows.find(([what]) => what === 'a clean-up of one namespace')!;
    await writeFile(file, text);
    const {out} = await rbac([file], {namespace: 'policies', serviceAccount: 'operator', name: 'team', output: 'json'});
    const {items} = JSON.parse(out) as {items: JsonObject[]};
    expect(items).toMatchObject([
      {kind: 'Role', metadata: {name: 'kyverno:team', namespace: 'shop'}},
      {kind: 'RoleBinding', subjects: [{kind: 'ServiceAccount', name: 'operator', namespace: 'policies'}]},
    ]);
  });

  it('prints with --all what the installation grants, too', async () => {
    const file = join(folder, 'pods.yaml');
    await writeFile(file, rows[0]![1]);
    const {out} = await rbac([file], {all: true});
    expect(rulesIn(out)).toContain(':reports /pods get list watch');
    expect(rulesIn(out)).toContain(':reports apps/deployments get list watch');
  });

  it('knows kinds of definitions that are given', async () => {
    const file = join(folder, 'certificate.yaml');
    const definition = join(folder, 'definition.yaml');
    await writeFile(file, rows.find(([title]) => title === 'a kind that nobody knows')![1]);
    await writeFile(definition, 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: certificates.example.org}\nspec: {group: example.org, scope: Namespaced, names: {kind: Certificate, plural: certificates}, versions: [{name: v1, served: true, storage: true}]}');
    expect(rulesIn((await rbac([file], {crds: [definition]})).out)).toEqual([':reports example.org/certificates get list watch']);
  });

  it('tells what is wrong with a policy and goes on with the others', async () => {
    const [broken, good] = [join(folder, 'broken.yaml'), join(folder, 'good.yaml')];
    await writeFile(broken, cluster('rules: [{name: r}]'));
    await writeFile(good, rows[1]![1]);
    const {exit, out, err} = await rbac([broken, good]);
    expect(exit).toBe(1);
    expect(err).toContain('broken.yaml:1: one: ');
    expect(rulesIn(out)).toEqual([':reports /secrets get list watch']);
  });

  it.each([
    [[], {}, 'name a policy file or folder'],
    [['/nowhere/policy.yaml'], {}, 'no such file'],
    [['x'], {output: 'table'}, '--output: expected yaml or json'],
  ])('refuses %j %j', async (subjects, flags, message) => {
    const {exit, err} = await rbac(subjects as string[], flags);
    expect(exit).toBe(1);
    expect(err).toContain(message);
  });
});

describe('kyverno rbac of a cluster', () => {
  let server: TestApiServer;
  let kubeconfig = '';
  beforeAll(async () => {
    server = await startTestApiServer();
    kubeconfig = join(folder, 'config');
    await writeFile(kubeconfig, server.kubeConfig.exportConfig());
    const kinds: Record<string, JsonObject[]> = {
      v1: [{name: 'secrets', kind: 'Secret', namespaced: true, verbs: ['list', 'get']}],
      'kyverno.io/v1': [{name: 'clusterpolicies', kind: 'ClusterPolicy', namespaced: false, verbs: ['list', 'get']}],
    };
    server.intercept = ({path}, response) => {
      const answers: Record<string, JsonObject> = {
        '/api': {kind: 'APIVersions', versions: ['v1']},
        '/apis': {kind: 'APIGroupList', groups: [{name: 'kyverno.io', versions: [{groupVersion: 'kyverno.io/v1', version: 'v1'}], preferredVersion: {groupVersion: 'kyverno.io/v1', version: 'v1'}}]},
        '/api/v1': {kind: 'APIResourceList', groupVersion: 'v1', resources: kinds['v1']!},
        '/apis/kyverno.io/v1': {kind: 'APIResourceList', groupVersion: 'kyverno.io/v1', resources: kinds['kyverno.io/v1']!},
      };
      if (!Object.hasOwn(answers, path)) return false;
      response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(answers[path]));
      return true;
    };
    const spec = (kind: string) => ({rules: [{name: 'r', match: {any: [{resources: {kinds: [kind]}}]}, validate: {message: 'm', pattern: {metadata: {name: '?*'}}}}]});
    server.put('apis/kyverno.io/v1/clusterpolicies', {metadata: {name: 'stored'}, spec: spec('Secret')});
    server.put('apis/kyverno.io/v1/clusterpolicies', {metadata: {name: 'other'}, spec: spec('Secret')});
  });
  afterAll(() => server.close());

  it('finds policies by their names', async () => {
    const {exit, out, err} = await rbac(['stored'], {kubeconfig});
    expect(exit, err).toBe(0);
    expect(out).toContain('name: kyverno:stored:reports');
  });

  it('takes all of them', async () => {
    const {out} = await rbac([], {kubeconfig, cluster: true});
    expect(out).toContain('name: kyverno:policies:reports');
  });

  it('says which name is not there', async () => {
    expect((await rbac(['stored', 'gone'], {kubeconfig})).err).toContain('no file and no policy of the cluster: gone');
  });
});
