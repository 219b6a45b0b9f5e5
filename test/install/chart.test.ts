import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {parseAllDocuments} from 'yaml';
import type {Manifest} from '../cluster/install-operator.js';
import {repository} from '../e2e/support/build.js';
import {helm} from '../helm/programs.js';
import {installSuite} from './install-suite.js';

const secure = 'admissionController.metering.secure=true';
const metricsCa = 'kyverno.kyverno.metering.kyverno-tls-ca';

/** What helm makes of the chart, as a release of users has it. */
async function rendered(): Promise<readonly Manifest[]> {
  const home = await mkdtemp(join(tmpdir(), 'helm-'));
  try {
    const args = ['template', 'kyverno', join(repository, 'install/chart'), '--namespace', 'kyverno', '--set', 'crds.install=false', '--set', secure];
    const {stdout} = await promisify(execFile)(await helm(), args, {maxBuffer: 64 * 1024 * 1024, env: {...process.env, HOME: home}});
    const objects = parseAllDocuments(stdout).map(document => document.toJS() as Manifest | null).filter(object => object !== null);
    // Helm leaves the namespace to whoever installs.
    return [{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'kyverno'}} as Manifest, ...objects.filter(({kind}) => kind !== 'Namespace')];
  } finally {
    await rm(home, {recursive: true, force: true});
  }
}

for (const replicas of [1, 3]) installSuite({name: 'the chart', replicas, objects: rendered, metricsCa});
