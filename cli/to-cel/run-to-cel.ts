import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import {parseSet} from '../apply/flags.js';
import {createWorld} from '../apply/offline-world.js';
import {FileError} from '../files/file-error.js';
import {loadPolicyPath, mergeLoads, nameOf, type PolicyDocument} from '../files/load-policies.js';
import {loadResourcePaths} from '../files/load-resources.js';
import {loadUserInfoFile} from '../files/user-info-file.js';
import {loadValuesFile} from '../files/values-file.js';
import {withKindsOf} from '../offline/known-kinds.js';
import {preparePolicy} from '../offline/prepare-policies.js';
import type {Streams} from '../output/streams.js';
import {drawTable} from '../output/table.js';
import {yamlText} from '../output/yaml-text.js';
import {discoverTests} from '../test/discover.js';
import {loadSuite} from '../test/load-suite.js';
import {type Converted, convertPolicy} from './convert-documents.js';
import {type Comparison, prove} from './prove.js';

export interface ToCelFlags {
  /** Classic policies: files or folders. */
  readonly toCel: readonly string[];
  /** Objects that both forms are tried on. */
  readonly resource?: readonly string[];
  /** Test files whose resources, values and users both forms are tried on. */
  readonly suite?: readonly string[];
  readonly valuesFile?: string;
  readonly userinfo?: string;
  /** Folder to write to; standard output when absent. */
  readonly out?: string;
}

interface Done {
  readonly document: PolicyDocument;
  readonly converted: Converted;
}

interface Proof {
  readonly policy: string;
  readonly comparison: Comparison;
}

/** `kyverno fix --to-cel`: 0 when every policy was converted whole and both forms agree wherever they were tried. */
export async function runToCel(flags: ToCelFlags, streams: Streams): Promise<number> {
  const load = mergeLoads(await Promise.all(flags.toCel.map(path => loadPolicyPath(path, builtinResourceMap))));
  for (const {path, message} of load.skipped) streams.err(`Warning: ${path}: ${message}\n`);
  const documents = load.documents.filter(({family}) => family === 'classic');
  if (documents.length === 0) throw new FileError('no ClusterPolicy or Policy found');
  const objects = (await loadResourcePaths(flags.resource ?? [], {resources: builtinResourceMap})).map(({object}) => object);
  const resources = withKindsOf(
    builtinResourceMap,
    objects,
    documents.map(({raw}) => raw),
  );
  const done = documents.map((document): Done => ({document, converted: convertPolicy(document.raw, resources)}));
  for (const one of done) tellLosses(one, streams);
  await writeAll(done, flags.out, streams);
  const proofs = [
    ...(objects.length > 0 ? await proveOnObjects(done, objects, flags) : []),
    ...(await proveOnSuites(done, flags.suite ?? [])),
  ];
  const whole = done.filter(({converted}) => converted.losses.length === 0).length;
  const differing = proofs.filter(({comparison}) => comparison.differences.length > 0);
  if (differing.length > 0) streams.err(differenceTable(differing));
  streams.err(summary(whole, done.length, proofs, differing.length));
  return whole === done.length && differing.length === 0 ? 0 : 1;
}

function tellLosses({document, converted}: Done, streams: Streams): void {
  const name = nameOf(document.raw);
  for (const {rule, path, reason} of converted.losses) {
    const where = [rule === '' ? '' : `rule ${rule}`, path].filter(part => part !== '').join(', ');
    streams.err(`${document.path}:${document.line}: ${name} is not converted: ${where === '' ? '' : `${where}: `}${reason}\n`);
  }
  for (const note of converted.notes) streams.err(`${document.path}:${document.line}: ${name}: ${note}\n`);
}

async function writeAll(done: readonly Done[], folder: string | undefined, streams: Streams): Promise<void> {
  if (folder === undefined) {
    const policies = done.flatMap(({converted}) => converted.policies);
    streams.out(policies.map(policy => yamlText(policy)).join('---\n'));
    return;
  }
  await mkdir(folder, {recursive: true});
  const names = new Map<string, number>();
  for (const {document, converted} of done) {
    if (converted.policies.length === 0) continue;
    const name = nameOf(document.raw).replaceAll(/[^\w.-]/g, '_');
    const count = names.get(name) ?? 0;
    names.set(name, count + 1);
    const path = join(folder, `${name}${count === 0 ? '' : `-${count + 1}`}.yaml`);
    await writeFile(path, converted.policies.map(policy => yamlText(policy)).join('---\n'));
    streams.out(`${path}\n`);
  }
}

async function proveOnObjects(done: readonly Done[], objects: readonly JsonObject[], flags: ToCelFlags): Promise<Proof[]> {
  const values = flags.valuesFile === undefined ? undefined : await loadValuesFile(flags.valuesFile);
  const user = flags.userinfo === undefined ? undefined : (await loadUserInfoFile(flags.userinfo)).user;
  const resources = withKindsOf(
    builtinResourceMap,
    objects,
    done.map(({document}) => document.raw),
  );
  const world = createWorld({
    ...{policies: [], exceptions: [], objects, resources, values, user},
    visible: objects,
    set: parseSet([]),
    registry: false,
    cluster: undefined,
  });
  const proofs: Proof[] = [];
  for (const {document, converted} of done) {
    if (converted.policies.length === 0) continue;
    const before = preparePolicy(document, resources);
    for (const comparison of await prove({before, after: converted.prepared, world, resources: objects}))
      proofs.push({policy: before.key, comparison});
  }
  return proofs;
}

/** Of a suite, the policies that bear the names of converted ones. */
async function proveOnSuites(done: readonly Done[], paths: readonly string[]): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for (const path of paths) {
    const {tests, errors} = await discoverTests(path, 'kyverno-test.yaml');
    const [fault] = errors;
    if (fault !== undefined) throw new FileError(`${fault.path}: ${fault.message}`);
    for (const test of tests) {
      const suite = await loadSuite(test, {registry: false, log: () => undefined});
      const operations = [undefined, ...new Set((test.spec.results ?? []).flatMap(({operation}) => (operation ? [operation] : [])))];
      for (const {document, converted} of done) {
        if (converted.policies.length === 0) continue;
        const resources = withKindsOf(suite.world.resources, suite.resources, [document.raw]);
        const again = convertPolicy(document.raw, resources);
        const comparisons = await prove({
          before: preparePolicy(document, resources),
          after: again.prepared,
          world: {...suite.world, resources},
          resources: suite.resources,
          operations,
        });
        for (const comparison of comparisons) proofs.push({policy: nameOf(document.raw), comparison});
      }
    }
  }
  return proofs;
}

function differenceTable(proofs: readonly Proof[]): string {
  return drawTable(
    ['policy', 'resource', 'operation', 'before', 'after', 'why'],
    proofs.map(({policy, comparison: {resource, operation, before, after, differences}}) => [
      {text: policy},
      {text: resource},
      {text: operation},
      {text: before.status},
      {text: after.status},
      {text: [...differences, ...after.messages.slice(0, 1)].join('; ')},
    ]),
  );
}

function summary(whole: number, total: number, proofs: readonly Proof[], differ: number): string {
  const converted = `${whole} of ${total} ${total === 1 ? 'policy' : 'policies'} converted`;
  if (proofs.length === 0) return `${converted}; give --resource or --suite to see that both forms agree\n`;
  return `${converted}; ${proofs.length - differ} of ${proofs.length} verdicts agree\n`;
}
