import {spawn} from 'node:child_process';
import {copyFile, mkdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {createServer, type Server} from 'node:net';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {
  program,
  repository,
  run,
  type Served,
  sample,
  startServe,
  temporaryFolder,
  writeWhole,
} from './support/serve-process.js';

let folder: string;
let server: Served | undefined;

beforeEach(async () => {
  folder = join(await temporaryFolder(), 'policies');
  await mkdir(folder);
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** The sample policy under another name, with another label, message or action. */
async function policyText(change: (text: string) => string = text => text): Promise<string> {
  return change(await readFile(sample('policies/require-app-label.yaml'), 'utf8'));
}

async function deniedPod(): Promise<Record<string, unknown>> {
  const review = JSON.parse(await readFile(sample('requests/denied.json'), 'utf8')) as {
    request: Record<string, unknown>;
  };
  return review.request;
}

async function started(args: readonly string[] = []): Promise<Served> {
  server = await startServe({policies: folder, args});
  return server;
}

/** Waits until the folder was read anew, behind the first `from` characters of the log. */
async function reloaded({logged}: Served, from: number, loaded: number, refused = 0): Promise<void> {
  await logged(`${loaded} loaded, ${refused} refused`, from);
}

describe('a policy file', () => {
  it('that is edited changes the verdict without a restart, however the editor writes it', async () => {
    const file = join(folder, 'label.yaml');
    await writeFile(file, await policyText());
    const {review, stderr} = await started();
    const request = await deniedPod();
    expect(await review('/validate/fail', request)).toMatchObject({allowed: false});

    const texts = [
      await policyText(text => text.replace('labels:', '=(labels):')),
      await policyText(),
      await policyText(text => text.replace('Enforce', 'Audit')),
    ];
    for (const [index, text] of texts.entries()) {
      const from = stderr().length;
      if (index === 2) await writeFile(file, text);
      else await writeWhole(file, text);
      await reloaded(server!, from, 1);
      expect(await review('/validate/fail', request)).toMatchObject({allowed: index !== 1});
    }
  });

  it('that is deleted takes its policy along, and one that comes brings it', async () => {
    const {review, stderr} = await started();
    const request = await deniedPod();
    expect(await review('/validate/fail', request)).toMatchObject({allowed: true});

    await mkdir(join(folder, 'team'));
    await writeWhole(join(folder, 'team', 'label.yaml'), await policyText());
    await reloaded(server!, 0, 1);
    expect(await review('/validate/fail', request)).toMatchObject({allowed: false});

    const from = stderr().length;
    await rm(join(folder, 'team', 'label.yaml'));
    await reloaded(server!, from, 0);
    expect(await review('/validate/fail', request)).toMatchObject({allowed: true});
  });

  it('that is no YAML is reported with file, line and reason, and harms no other', async () => {
    await writeFile(join(folder, 'a-broken.yaml'), 'apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nspec: [\n');
    await writeFile(join(folder, 'label.yaml'), await policyText());
    const {review, stderr} = await started();
    await server!.logged('1 loaded, 1 refused');
    expect(stderr()).toMatch(/ERROR refused: \S*a-broken\.yaml:\d+:\d+: \S+/);
    expect(await review('/validate/fail', await deniedPod())).toMatchObject({allowed: false});
  });

  it('whose policy is wrong is reported with file, line, field and reason, all faults at once', async () => {
    const wrong = await policyText(text => text.replace('name: app-label', 'name: ""').replace('pattern:', 'patern:'));
    await writeFile(join(folder, 'a-wrong.yaml'), `# one\n---\n${wrong}`);
    await writeFile(join(folder, 'label.yaml'), await policyText(text => text.replace('require-app', 'other-app')));
    const {review, stderr} = await started();
    await server!.logged(/1 loaded, \d+ refused/);
    const refused = stderr()
      .split('\n')
      .filter(line => line.includes('refused: ') && line.includes('a-wrong.yaml:'));
    expect(refused.length).toBeGreaterThan(1);
    for (const line of refused) expect(line).toMatch(/a-wrong\.yaml:\d+: ClusterPolicy\/require-app-label: /);
    expect(refused.join('\n')).toMatch(/patern/);
    expect(await review('/validate/fail', await deniedPod())).toMatchObject({allowed: false});
  });

  it('that breaks while serving takes only its own policy out, and mending it brings it back', async () => {
    const file = join(folder, 'label.yaml');
    await writeFile(file, await policyText());
    await copyFile(sample('policies/pull-latest-always.yaml'), join(folder, 'pull.yaml'));
    const {review, stderr} = await started();
    const request = await deniedPod();
    expect(await review('/validate/fail', request)).toMatchObject({allowed: false});

    let from = stderr().length;
    await writeWhole(file, await policyText(text => text.replace('kinds: [Pod]', 'kinds: []')));
    await server!.logged(/refused: \S*label\.yaml:\d+: /, from);
    await server!.logged(/1 loaded, [1-9]\d* refused/, from);
    expect(await review('/validate/fail', request)).toMatchObject({allowed: true});

    from = stderr().length;
    await writeWhole(file, await policyText());
    await reloaded(server!, from, 2);
    expect(await review('/validate/fail', request)).toMatchObject({allowed: false});
  });

  it('with a policy of the same name as another file is named as the second one', async () => {
    await writeFile(join(folder, 'a.yaml'), await policyText());
    await writeFile(join(folder, 'b.yaml'), await policyText(text => text.replace('Enforce', 'Audit')));
    const {review, stderr} = await started();
    await server!.logged('1 loaded, 1 refused');
    expect(stderr()).toMatch(/refused: \S*b\.yaml:1: ClusterPolicy\/require-app-label is in \S*a\.yaml:1 already/);
    expect(await review('/validate/fail', await deniedPod())).toMatchObject({allowed: false});
  });

  it('with a rule that cannot be served is refused as a whole', async () => {
    const text = await policyText();
    await writeFile(
      join(folder, 'later.yaml'),
      `${text.trimEnd()}\n    - name: later\n      match: {any: [{resources: {kinds: [Pod]}}]}\n      verifyImages: [{imageReferences: ['*'], attestors: [{entries: [{keys: {kms: 'awskms:///alias/x'}}]}]}]\n`,
    );
    const {review, stderr} = await started();
    await server!.logged('0 loaded, 1 refused');
    expect(stderr()).toContain('no plug-in answers for keys of awskms');
    expect(await review('/validate/fail', await deniedPod())).toMatchObject({allowed: true});
  });
});

describe('the start', () => {
  it('fails with a clear message when the folder is not there', async () => {
    const result = await run(['serve', '--policies', join(folder, 'absent'), '--port', '0', '--metrics-port', '0']);
    expect(result.code).toBe(1);
    expect(result.stderr).toBe(`${join(folder, 'absent')}: no such file or folder\n`);
    expect(result.stdout).toBe('');
  });

  it.each([
    [['--port', 'x'], '--port x: a number from 0 to 65535 is wanted'],
    [['--port', '65536'], '--port 65536: a number from 0 to 65535 is wanted'],
    [['--metrics-port=-1'], '--metrics-port -1: a number from 0 to 65535 is wanted'],
    [['--loggingFormat', 'xml'], '--loggingFormat xml: text or json is wanted'],
    [['--v', 'loud'], '--v loud: a number from 0 to 9 is wanted'],
  ])('with %j ends with code 2 and names the flag', async (args, message) => {
    const result = await run(['serve', '--policies', folder, ...args]);
    expect(result).toEqual({code: 2, stdout: '', stderr: `${message}\n`});
  });

  it('with an unknown flag ends with an error that names it', async () => {
    const result = await run(['serve', '--polices', folder]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('--polices');
  });

  it('on a port in use says so and ends with code 1', async () => {
    const {port, close} = await busyPort();
    try {
      const result = await run([
        'serve',
        '--policies',
        folder,
        '--port',
        String(port),
        '--metrics-port',
        '0',
        '--tls-dir',
        join(folder, '../tls'),
      ]);
      expect(result.code).toBe(1);
      expect(result.stderr).toContain(`cannot listen on 127.0.0.1:${port}`);
      expect(result.stderr).toContain('EADDRINUSE');
      expect(result.stdout).toBe('');
    } finally {
      await close();
    }
  });

  it('on a metrics port in use goes on without metrics and says so', async () => {
    const {port, close} = await busyPort();
    try {
      await writeFile(join(folder, 'label.yaml'), await policyText());
      const {review, logged} = await started(['--metrics-port', String(port)]);
      await logged(`metrics are not served: cannot listen on 127.0.0.1:${port}`);
      expect(await review('/validate/fail', await deniedPod())).toMatchObject({allowed: false});
    } finally {
      await close();
    }
  });

  it('a second time uses the certificates of the first, whose keys only the owner can read', async () => {
    const tlsDir = await temporaryFolder();
    const read = () =>
      Promise.all(['ca.crt', 'ca.key', 'tls.crt', 'tls.key'].map(name => readFile(join(tlsDir, name), 'utf8')));
    server = await startServe({policies: folder, tlsDir});
    const first = await read();
    await server.stop();
    server = await startServe({policies: folder, tlsDir});
    expect(await read()).toEqual(first);
    for (const name of ['ca.key', 'tls.key']) expect((await stat(join(tlsDir, name))).mode & 0o077).toBe(0);
  });

  it('reads objects for context from --resources', async () => {
    const resources = await temporaryFolder();
    await writeFile(
      join(resources, 'settings.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\ndata: {team: blue}\n',
    );
    await writeFile(
      join(folder, 'team.yaml'),
      `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: team}
spec:
  background: false
  rules:
    - name: team
      match: {any: [{resources: {kinds: [Pod]}}]}
      context: [{name: settings, configMap: {name: settings, namespace: default}}]
      validate:
        failureAction: Enforce
        message: "team {{ settings.data.team }} only"
        deny: {conditions: {all: [{key: "{{ settings.data.team }}", operator: Equals, value: blue}]}}
`,
    );
    const {review} = await started(['--resources', resources]);
    const answer = await review('/validate/fail', await deniedPod());
    expect(answer.status?.message).toContain('team blue only');
  });
});

describe('the running server', () => {
  it('answers probes and serves metrics', async () => {
    await writeFile(join(folder, 'label.yaml'), await policyText());
    const free = await busyPort();
    await free.close();
    const {url, caFile, review} = await started(['--metrics-port', String(free.port)]);
    await review('/validate/fail', await deniedPod());
    for (const probe of ['liveness', 'readiness']) {
      expect(
        (await curl(['--cacert', caFile, '-o', '/dev/null', '-w', '%{http_code}', `${url}/health/${probe}`])).stdout,
      ).toBe('200');
    }
    const metrics = (await curl([`http://127.0.0.1:${free.port}/metrics`])).stdout;
    expect(metrics).toMatch(/^kyverno_policy_results_total\{.*rule_result="fail".*\} 1$/m);
    expect(metrics).toMatch(/^kyverno_webhooks_processed_total\{.*request_allowed="false".*\} 1$/m);
  });

  it('writes each line as JSON when asked', async () => {
    await writeFile(join(folder, 'label.yaml'), await policyText());
    const {review, stderr, logged} = await started(['--loggingFormat=json']);
    await review('/validate/fail', await deniedPod());
    await logged('webhook denied the request');
    const lines = stderr()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
    for (const line of lines) {
      expect(line).toMatchObject({level: expect.any(String), message: expect.any(String)});
      expect(Number.isNaN(Date.parse(String(line['time'])))).toBe(false);
    }
  });

  it('ends with code 0 at SIGTERM, after it has answered what it was asked', async () => {
    await writeFile(join(folder, 'label.yaml'), await policyText());
    const {review, stop} = await started();
    const request = await deniedPod();
    const answers = Promise.all(Array.from({length: 20}, () => review('/validate/fail', request)));
    await review('/validate/fail', request);
    expect(await stop()).toBe(0);
    for (const answer of await answers) expect(answer.allowed).toBe(false);
    server = undefined;
  });

  it('ends with code 0 at an interrupt', async () => {
    const {process: child} = await started();
    const closed = new Promise(done => child.once('close', done));
    child.kill('SIGINT');
    expect(await closed).toBe(0);
    server = undefined;
  });
});

describe('the operator outside a cluster', () => {
  it('asks for --kubeconfig and never takes a default context', async () => {
    const contacts: string[] = [];
    const decoy = createServer(socket => {
      contacts.push('connected');
      socket.destroy();
    });
    await new Promise<void>(done => decoy.listen(0, '127.0.0.1', done));
    const home = await temporaryFolder();
    const config = kubeconfig((decoy.address() as {port: number}).port);
    await mkdir(join(home, '.kube'));
    await writeFile(join(home, '.kube', 'config'), config);
    await writeFile(join(home, 'elsewhere'), config);
    const {KUBERNETES_SERVICE_HOST: _host, KUBERNETES_SERVICE_PORT: _port, ...outside} = process.env;
    try {
      const result = await run(['operator'], {...outside, HOME: home, KUBECONFIG: join(home, 'elsewhere')});
      expect(result.code).toBe(1);
      expect(result.stderr).toMatch(/no cluster to work in: not in a cluster: .*; give --kubeconfig/);
      expect(contacts).toEqual([]);
    } finally {
      await new Promise(done => decoy.close(done));
    }
  });

  it('takes the kubeconfig that it is given', async () => {
    const contacts: string[] = [];
    const cluster = createServer(socket => {
      contacts.push('connected');
      socket.destroy();
    });
    await new Promise<void>(done => cluster.listen(0, '127.0.0.1', done));
    const file = join(folder, 'kubeconfig');
    await writeFile(file, kubeconfig((cluster.address() as {port: number}).port));
    const child = spawn(process.execPath, [program, 'operator', `--kubeconfig=${file}`], {
      cwd: repository,
      stdio: 'ignore',
    });
    const closed = new Promise<number | null>(done => child.once('close', done));
    try {
      await eventually(() => contacts.length > 0, {what: 'the named cluster asked'});
    } finally {
      child.kill('SIGTERM');
      expect(await closed).toBe(0);
      await new Promise(done => cluster.close(done));
    }
  });

  it.each([
    [['--kubeconfig', '/nowhere/kubeconfig'], 1, /\/nowhere\/kubeconfig/],
    [['--v=9'], 2, /--v: it takes a whole number from 1 to 5/],
    [['--loggingFormat=xml'], 2, /--loggingFormat: it takes text or json/],
    [['--kubeConfig=x'], 2, /unknown flag --kubeConfig, did you mean --kubeconfig\?/],
  ] as const)('ends with an error for %j', async (args, code, message) => {
    const result = await run(['operator', ...args]);
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(message);
  });
});

function kubeconfig(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{name: 'c', cluster: {server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true}}],
    users: [{name: 'u', user: {token: 'test'}}],
    contexts: [{name: 'x', context: {cluster: 'c', user: 'u'}}],
    'current-context': 'x',
  });
}

async function busyPort(): Promise<{readonly port: number; readonly close: () => Promise<void>}> {
  const holder: Server = createServer();
  await new Promise<void>(done => holder.listen(0, '127.0.0.1', done));
  return {
    port: (holder.address() as {port: number}).port,
    close: () => new Promise<void>(done => holder.close(() => done())),
  };
}

function curl(args: readonly string[]): Promise<{readonly stdout: string}> {
  const child = spawn('curl', ['-sS', ...args], {stdio: ['ignore', 'pipe', 'inherit']});
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return new Promise(done => child.once('close', () => done({stdout})));
}
