import {execFile} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {guideObjects, guidePolicyFiles, guideRoot} from '../guide/load.js';
import {program, repository} from './support/build.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {allServed, collectionOf, pathOf, policyPath, put, type Thing, verdictOf} from './support/policies.js';
import {configMap, labelRule, pod, policy} from './support/samples.js';
import {createShell, type Shell} from './support/shell.js';

/** The flows that users type, line by line; commands stand as they are typed. */

const samples = join(import.meta.dirname, 'testdata/guide');
const configuration = 'kyverno-resource-validating-webhook-cfg';
let operator: OperatorCluster;
let shell: Shell;

beforeAll(async () => {
  operator = await startOperatorCluster();
  shell = createShell(operator.cluster);
  await createNamespaces(operator, ['shop', 'museum', 'team-red']);
});
afterAll(() => operator?.stop());

const enforced = policy('policy-name', {rules: [labelRule('team')]});

async function refusedEverywhere(): Promise<void> {
  // Many at once, so that each replica gets some.
  const tries = Array.from({length: 30}, (_, index) =>
    operator.cluster.request('POST', collectionOf(configMap('x')), configMap(`refused-${index}`)),
  );
  for (const {status} of await Promise.all(tries)) expect(status).toBeGreaterThanOrEqual(400);
}

describe('F1: the log', () => {
  it('F1.3 has no line with failed or error while all is well', async () => {
    const {stdout} = await shell.run('kubectl logs -n kyverno -l app=kyverno --tail=-1 | grep -i "failed\\|error"');
    expect(stdout).toBe('');
  });

  it('F1.1 streams without naming a container', async () => {
    const {stdout, stderr} = await shell.watch(
      'kubectl logs -n kyverno deployment/kyverno -f',
      async () => {},
      output => output.includes('ready'),
    );
    expect(stdout).toContain('serving admission');
    expect(stderr).not.toContain('Defaulted container');
  });

  it('F1.2 tells each step of a policy and each failing verdict', async () => {
    const {stdout} = await shell.watch(
      'kubectl logs -n kyverno deployment/kyverno -f | grep "policy-name"',
      lifeOfPolicy,
      output => output.includes('deleted'),
    );
    for (const word of ['accepted', 'cached', 'changed', 'deleted', 'failed']) expect(stdout).toContain(word);
    for (const line of stdout.trim().split('\n')) expect(line).toContain('policy-name');
  });

  it('F1.3 tells every refused request', async () => {
    const command = 'kubectl logs -n kyverno deployment/kyverno -f | grep -i "failed\\|error"';
    const {stdout} = await shell.watch(command, lifeOfPolicy, output => output.includes('webhook denied'));
    expect(stdout).toMatch(/CREATE ConfigMap shop\/refused-\d+ failed/);
  });
});

async function lifeOfPolicy(): Promise<void> {
  await put(operator, [enforced]);
  await refusedEverywhere();
  await put(operator, [policy('policy-name', {rules: [labelRule('team'), labelRule('owner')]})]);
  await operator.cluster.request('DELETE', policyPath(enforced));
  await eventually(async () => (await operator.cluster.request('GET', policyPath(enforced))).status === 404, {
    what: 'policy gone',
  });
}

describe('F2: does the webhook answer', () => {
  beforeAll(() => put(operator, [enforced]));

  it('F2.1 shows all Pods running and ready', async () => {
    const {stdout} = await shell.run('kubectl get pods -n kyverno');
    const rows = stdout.trim().split('\n').slice(1);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatch(/^kyverno-\S+\s+1\/1\s+Running/);
  });

  it('F2.2 lists our configurations', async () => {
    const {stdout} = await shell.run('kubectl get validatingwebhookconfigurations | grep kyverno');
    for (const name of [configuration, 'kyverno-webhook-cfg'])
      expect(stdout).toMatch(new RegExp(`^${name}\\s+[1-9]`, 'm'));
  });

  it('F2.3 describes where it leads and for what', async () => {
    const {stdout} = await shell.run(
      'kubectl describe validatingwebhookconfigurations \\\n  kyverno-resource-validating-webhook-cfg',
    );
    for (const text of [
      'Ca Bundle:',
      'kyverno-svc',
      'Failure Policy:',
      'Timeout Seconds:',
      'Namespace Selector:',
      'configmaps',
      'validate.kyverno.io',
    ]) {
      expect(stdout).toContain(text);
    }
    expect(stdout).toMatch(/Namespace:\s+kyverno/);
    expect(stdout.match(/Resources:\n\s+(\S+)\n/)?.[1]).toBe('configmaps');
  });

  it('F2.4 shows lines of all replicas', async () => {
    const {stdout} = await shell.run('kubectl logs -n kyverno -l app=kyverno');
    const {stdout: named} = await shell.run('kubectl logs -n kyverno -l app=kyverno --prefix');
    expect(stdout.trim()).not.toBe('');
    for (const {name} of operator.agent.replicas()) expect(named).toContain(name);
  });
});

describe('F3: a policy has no effect', () => {
  beforeAll(() => put(operator, [enforced]));

  it('F3.1 shows one row per policy with its state', async () => {
    const {stdout} = await shell.run('kubectl get clusterpolicies');
    const [head = '', ...rows] = stdout.trim().split('\n');
    for (const column of ['NAME', 'ADMISSION', 'BACKGROUND', 'READY', 'AGE', 'MESSAGE']) expect(head).toContain(column);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatch(/^policy-name\s+true\s+false\s+True\s/);
  });

  it('can be waited for', async () => {
    const {code, stderr} = await shell.run(
      'kubectl wait --for=condition=Ready --timeout=30s clusterpolicy/policy-name',
    );
    expect(code, stderr).toBe(0);
  });

  it('F3.2 describes its conditions, rule counts and derived rules', async () => {
    const derived = policy('derived', {rules: [labelRule('team', {kinds: ['Pod']})]});
    await put(operator, [derived]);
    const {stdout} = await shell.run('kubectl describe clusterpolicy derived');
    for (const text of [
      'Spec:',
      'Conditions:',
      'Reason:',
      'Message:',
      'Type:',
      'Rulecount:',
      'Validate:',
      'autogen-has-team',
      'autogen-cronjob-has-team',
    ])
      expect(stdout).toContain(text);
    await operator.cluster.request('DELETE', policyPath(derived));
  });

  it('F3.3 shows the match block as written, loose keys included', async () => {
    const files = readdirSync(join(samples, 'policies')).map(name => join(samples, 'policies', name));
    const {stderr} = await shell.run(
      `kubectl apply -f ${files.filter(file => !file.includes('unfinished')).join(' -f ')} -f ${join(samples, 'cases/kept.yaml')}`,
    );
    expect(stderr).not.toMatch(/error/i);
    const match = async (name: string) =>
      (await shell.run(`kubectl get clusterpolicies ${name} -o yaml | grep -A 20 match`)).stdout;
    expect(await match('trusted-registry')).toMatch(/operations:\n\s+- CREATE\n\s+- UPDATE/);
    expect(await match('owner-audit')).toMatch(/excludeResources:\n\s+namespaces:/);
    expect((await shell.run('kubectl get clusterpolicies kept -o yaml | grep -B 20 match')).stdout).toMatch(
      /labels:\n\s+scratch: "true"/,
    );
    await shell.run(
      'kubectl delete clusterpolicies trusted-registry owner-audit harden kept; kubectl delete policyexceptions --all -A',
    );
  });

  it('F3.4 shows a rule result on the Pod, in audit mode too', async () => {
    const audited = policy('audited', {
      rules: [labelRule('team', {kinds: ['Pod']})],
      spec: {validationFailureAction: 'Audit'},
    });
    await put(operator, [audited]);
    expect((await operator.cluster.request('POST', collectionOf(pod('pod-name')), pod('pod-name'))).status).toBe(201);
    const {stdout} = await eventually(
      async () => {
        const result = await shell.run('kubectl describe pod pod-name -n shop');
        return result.stdout.includes('PolicyViolation') ? result : undefined;
      },
      {what: 'Events of the Pod'},
    );
    expect(stdout).toMatch(/policy audited\/has-team fail/);
    await operator.cluster.request('DELETE', `${pathOf(pod('pod-name'))}?gracePeriodSeconds=0`);
    await operator.cluster.request('DELETE', policyPath(audited));
  });
});

describe('F4: the webhook denied the request', () => {
  beforeAll(() => put(operator, [enforced]));

  it('names the webhook, the resource, the policy, the rule and the message', async () => {
    const {stderr} = await shell.run('kubectl create configmap refused -n shop');
    const parts = [
      'admission webhook "validate.kyverno.io" denied the request',
      'ConfigMap/shop/refused',
      'policy-name',
      'has-team',
      'label team is missing',
    ];
    expect(parts.map(part => stderr.indexOf(part))).toEqual(
      parts.map(part => stderr.indexOf(part)).sort((a, b) => a - b),
    );
    for (const part of parts) expect(stderr).toContain(part);
  });

  it('F4.1 shows the message in the policy', async () => {
    const {stdout} = await shell.run('kubectl get clusterpolicies policy-name -o yaml');
    expect(stdout).toContain('label team is missing');
  });

  it('F4.2 finds one Event per refusal', async () => {
    const {stdout} = await eventually(
      async () => {
        const result = await shell.run('kubectl get events -A | grep "webhook denied"');
        return result.stdout.includes('shop/refused:') ? result : undefined;
      },
      {what: 'Event of the refusal'},
    );
    const line = stdout.split('\n').find(text => text.includes('ConfigMap shop/refused:'));
    for (const part of ['webhook denied', 'policy-name', 'has-team']) expect(line).toContain(part);
  });

  const root = guideRoot() ?? samples;
  it.each(guidePolicyFiles(root))('F4.3 knows the kinds of %s', async file => {
    const {stdout, code, stderr} = await shell.run(`kubectl apply -f ${join(root, file)} --dry-run=client`);
    expect(code, stderr).toBe(0);
    for (const object of guideObjects(root, file) as unknown as Thing[]) {
      expect(stdout).toContain(`${object.kind.toLowerCase()}.kyverno.io/${object.metadata.name} created (dry run)`);
    }
  });
});

describe('F5: the webhook times out', () => {
  beforeAll(() => put(operator, [enforced]));

  it('F5.1 raises the CPU limit without a gap in admission', async () => {
    const before = operator.agent.replicas().map(({name}) => name);
    let going = true;
    const wrong: unknown[] = [];
    let asked = 0;
    const ask = async () => {
      while (going) {
        const {body} = await operator.cluster.request<{message?: string}>(
          'POST',
          collectionOf(configMap('asked')),
          configMap('asked'),
        );
        asked += 1;
        if (!body.message?.includes('label team is missing')) wrong.push(body);
      }
    };
    const asking = Promise.all([ask(), ask(), ask()]);
    try {
      const edit = await shell.run('kubectl -n kyverno edit deployment kyverno', {
        EDITOR: "sed -i 's/cpu: 500m/cpu: 600m/'",
      });
      expect(edit.stdout, edit.stderr).toContain('edited');
      const rollout = await shell.run('kubectl -n kyverno rollout status deployment kyverno --timeout=180s');
      expect(rollout.code, rollout.stderr).toBe(0);
      await eventually(() => operator.agent.replicas().every(({name}) => !before.includes(name)), {
        what: 'old replicas gone',
        timeoutMs: 120_000,
      });
    } finally {
      going = false;
      await asking;
    }
    console.log(`F5.1: ${asked} requests judged while the Deployment rolled`);
    expect(wrong).toEqual([]);
  });

  const timeouts = `kubectl get validatingwebhookconfigurations \\\n  ${configuration} -o yaml | \\\n  grep -A 5 "timeoutSeconds"`;
  it('F5.2 shows the timeout of each entry', async () => {
    expect((await shell.run(timeouts)).stdout).toMatch(/timeoutSeconds: 10/);
    const slow = policy('slow', {rules: [labelRule('team')], spec: {webhookConfiguration: {timeoutSeconds: 20}}});
    await put(operator, [slow]);
    expect((await shell.run(timeouts)).stdout).toMatch(/timeoutSeconds: 20/);
    await operator.cluster.request('DELETE', policyPath(slow));
    await eventually(async () => (await shell.run(timeouts)).stdout.includes('timeoutSeconds: 10'), {
      what: 'timeout back',
    });
  });

  it('F5.3 keeps the configuration through the merge patch, and takes the strategic one', async () => {
    const patch = (type: string) =>
      shell.run(
        `kubectl patch validatingwebhookconfigurations \\\n  ${configuration} \\\n  --type ${type} -p '{"webhooks":[{"name":"validate.kyverno.io","timeoutSeconds":5}]}'`,
      );
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${configuration}`;
    const webhooks = async () => (await operator.cluster.request<{webhooks: unknown}>('GET', path)).body.webhooks;
    const before = await webhooks();
    const merge = await patch('merge');
    expect(merge.code).not.toBe(0);
    expect(merge.stderr).toContain('Required value');
    expect(await webhooks()).toEqual(before);
    expect((await shell.run('kubectl create configmap refused -n shop')).stderr).toContain('label team is missing');

    expect((await patch('strategic')).code).toBe(0);
    await put(operator, [policy('further', {rules: [labelRule('team', {kinds: ['Secret']})]})]);
    expect((await shell.run(timeouts)).stdout).toMatch(/timeoutSeconds: 5/);
    await operator.cluster.request('DELETE', policyPath(policy('further', {rules: []})));
  });
});

describe('F7: the log level', () => {
  it('takes JSON and verbosity 4 from an edit of the Deployment', async () => {
    await put(operator, [enforced]);
    const before = operator.agent.replicas().map(({name}) => name);
    const edit = await shell.run('kubectl -n kyverno edit deployment kyverno', {
      EDITOR: "sed -i 's/--loggingFormat=text/--loggingFormat=json/; s/--v=2/--v=4/'",
    });
    expect(edit.stdout, edit.stderr).toContain('edited');
    expect((await shell.run('kubectl -n kyverno rollout status deployment kyverno --timeout=180s')).code).toBe(0);
    await eventually(() => operator.agent.replicas().every(({name}) => !before.includes(name)), {
      what: 'old replicas gone',
      timeoutMs: 120_000,
    });
    await allServed(operator, [enforced]);
    await refusedEverywhere();
    const {stdout} = await shell.run('kubectl logs -n kyverno -l app=kyverno --tail=-1');
    for (const line of stdout.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({
        time: expect.any(String),
        level: expect.anything(),
        message: expect.any(String),
      });
    }
    expect(stdout).toContain('rule policy-name/has-team fail on CREATE ConfigMap shop/refused-0');
    expect((await shell.run('kubectl logs -n kyverno deployment/kyverno | grep "policy-name"')).stdout).toContain(
      'accepted',
    );
  });

  it.each([
    ['--v=0', '--v'],
    ['--v=6', '--v'],
    ['--v=much', '--v'],
    ['--loggingFormat=yaml', '--loggingFormat'],
  ])('stops at start for %s and names the flag', async (argument, flag) => {
    const {code, output} = await new Promise<{code: unknown; output: string}>(resolve => {
      execFile(process.execPath, [program, 'operator', argument], {cwd: repository}, (error, stdout, stderr) =>
        resolve({code: error?.code ?? 0, output: stdout + stderr}),
      );
    });
    expect(code).not.toBe(0);
    expect(output).toContain(flag);
  });
});

describe('the flows', () => {
  it('leave policies as they are judged: Ready', async () => {
    expect(await verdictOf(operator, enforced)).toMatchObject({status: 'True'});
  });

  it('have the last word on a status that somebody else writes', async () => {
    const {body} = await operator.cluster.request<Thing>('GET', policyPath(enforced));
    const [ready] = body.status?.conditions ?? [];
    const late = {...ready, status: 'False', reason: 'Pending', message: 'a late word'};
    const {status} = await operator.cluster.request('PATCH', `${policyPath(enforced)}/status`, {
      status: {conditions: [late]},
    });
    expect(status).toBe(200);
    expect(await verdictOf(operator, enforced)).toMatchObject({status: 'True'});
  });
});
