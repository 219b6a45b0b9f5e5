import {AttestorValue} from '../cel/kyverno/image-verify.js';
import type {Value} from '../cel/values/value.js';
import {annotationValues} from '../cel-policies/run/annotations.js';
import {conditionsHold} from '../cel-policies/run/conditions.js';
import {exemptionFor, type PolicyException} from '../cel-policies/run/exceptions.js';
import {findPods} from '../cel-policies/run/pod-templates.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {PolicyScope} from '../cel-policies/run/scope.js';
import {firstViolation, type Violation} from '../cel-policies/run/validations.js';
import type {PolicyBehaviour} from '../cel-policies/types.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {RegistryAccess} from '../image/verification.js';
import type {Json} from '../json/types.js';
import {containerImages, type ImageLists, podSpecPath, pullSecretNames} from './extract-images.js';
import {ImageRun} from './image-run.js';
import {digestOf} from './reference-forms.js';
import {resolveAttestor} from './resolve-attestor.js';
import {isExemptImage, isMeant} from './select-images.js';
import type {CompiledImages, ImageRecord} from './types.js';

export type ImageBehaviour = Extract<PolicyBehaviour, {type: 'imageValidating'}>;

export interface ImageMode {
  /** The policy's name, which its results have. */
  readonly name: string;
  /** Judges the Pods that the object would make instead of the object. */
  readonly extracts: boolean;
  /** `failurePolicy: Ignore`: conditions that cannot be judged do not hold, and validations let others speak. */
  readonly lenient: boolean;
  readonly exceptions: readonly PolicyException[];
  /** Digests that images of the request were found with. */
  readonly digests: Map<string, string>;
}

export interface ImageAnswer {
  readonly verdict: CelVerdict;
  /** Absent when no image was looked at. */
  readonly record?: ImageRecord;
}

/** A policy on images on a request that its constraints select; `undefined` when it does not match. Throws EvalError, or Suspend to wait. */
export function evaluateImages(behaviour: ImageBehaviour, mode: ImageMode, scope: PolicyScope): ImageAnswer | undefined {
  return mode.extracts ? evaluatePods(behaviour, mode, scope) : evaluateObject(behaviour, mode, subjectOf(scope));
}

/** What of a payload, or of a Pod inside of an object, is judged. */
interface Subject {
  readonly scope: PolicyScope;
  readonly object: Json | undefined;
  /** Where the spec of the Pod stands in the object. */
  readonly path: readonly string[] | undefined;
}

export interface Selection {
  readonly lists: ImageLists;
  readonly isExempt: (image: string) => boolean;
  readonly access: RegistryAccess;
}

export type Selected = {readonly selection: Selection} | {readonly answer: ImageAnswer | undefined};

/** Conditions and exceptions first, then the images that are left; also what the pinning of digests goes by. */
export function selectImages(behaviour: ImageBehaviour, mode: ImageMode, {scope, object, path}: Subject): Selected {
  const {images} = behaviour;
  if (!matches(behaviour, mode, scope)) return {answer: undefined};
  const exemption = exemptionFor(mode.exceptions, scope, ({images: named}) => named.length === 0);
  if (exemption.type === 'full') {
    return {answer: {verdict: {...exemption.verdict, status: 'skip', message: exemption.verdict.message.replace('is passed', 'is skipped')}}};
  }
  const isExempt = isExemptImage(exemption.allowedImages);
  const found = allImages(images, scope, containerImages(object, path));
  const lists: Record<string, readonly string[]> = Object.create(null);
  let left = 0;
  let freed = 0;
  for (const [category, list] of Object.entries(found)) {
    const meant = list.filter(image => isMeant(images, image, scope.host));
    lists[category] = meant.filter(image => !isExempt(image));
    left += lists[category].length;
    freed += meant.length - lists[category].length;
  }
  if (freed > 0 && left === 0) return {answer: {verdict: exemptVerdict(exemption.matched)}};
  return {selection: {lists, isExempt, access: accessOf(images, scope, pullSecretNames(object, path))}};
}

function exemptVerdict(keys: readonly string[]): CelVerdict {
  const message = `rule is skipped due to policy exception: ${keys.join(', ')}`;
  return {rule: 'exception', status: 'skip', message, exceptions: keys};
}

/** Where a request's own object has its Pod. */
export function subjectOf(scope: PolicyScope): Subject {
  const {object, oldObject, resource} = scope.request;
  return {scope, object: object ?? oldObject, path: podSpecPath(resource)};
}

function evaluateObject(behaviour: ImageBehaviour, mode: ImageMode, subject: Subject): ImageAnswer | undefined {
  const selected = selectImages(behaviour, mode, subject);
  if (!('selection' in selected)) return selected.answer;
  return judgeSelection(behaviour, mode, subject.scope, selected.selection);
}

/** The values that expressions see once the images are known, and who answers their questions. */
export function openRun({images}: ImageBehaviour, digests: Map<string, string>, bare: PolicyScope, {lists, isExempt, access}: Selection) {
  const {host} = bare;
  const meant = [...new Set(Object.values(lists).flat())];
  const run = new ImageRun({images, host, access, digests, meant, isExempt, means: image => isMeant(images, image, host)});
  return {run, meant, scope: bare.with({images: bindingsOf(images, lists, secretHome(images, bare))})};
}

function judgeSelection(behaviour: ImageBehaviour, mode: ImageMode, bare: PolicyScope, selection: Selection): ImageAnswer {
  const {host} = bare;
  const {run, meant, scope} = openRun(behaviour, mode.digests, bare, selection);
  const before = host.imageRun;
  host.imageRun = run;
  try {
    return {verdict: verdictOf(behaviour, mode, scope, meant, run), record: run.record};
  } finally {
    host.imageRun = before;
  }
}

function verdictOf(behaviour: ImageBehaviour, mode: ImageMode, scope: PolicyScope, meant: readonly string[], run: ImageRun): CelVerdict {
  const {rules, annotations, images} = behaviour;
  const violation = firstViolation(rules, scope, mode.lenient);
  if (violation?.status === 'fail') {
    return {rule: mode.name, status: 'fail', message: failText(violation, run), properties: {...annotationsOfFailure(behaviour, scope), ...noteProperties(run)}};
  }
  const undigested = images.verifyDigest ? meant.find(image => digestOf(image) === '') : undefined;
  if (undigested !== undefined) {
    return {rule: mode.name, status: 'fail', message: `image ${undigested} does not have a digest`, properties: annotationsOfFailure(behaviour, scope)};
  }
  if (violation !== undefined) {
    if (run.record.uncached) return {rule: mode.name, status: 'skip', message: run.record.notes.join('; ')};
    const message = violation.message.replace(/^error: /, '');
    return {rule: 'evaluation', status: 'error', message: `failed to evaluate policy: ${message}`, properties: noteProperties(run)};
  }
  return {rule: mode.name, status: 'pass', message: 'success', properties: annotationValues(annotations, scope)};
}

/** A message of the policy's own stands as it is; what nobody worded says what was found. */
function failText({message, index}: Violation, run: ImageRun): string {
  const {notes} = run.record;
  if (notes.length === 0 || message !== `CEL expression validation failed at index ${index}`) return message;
  return `${message}: ${notes.join('; ')}`;
}

/** Under this key the reasons go to reports, and to whoever made the request. */
export const notesProperty = 'imageVerification';
const mostNoteText = 2_000;

function noteProperties(run: ImageRun): Readonly<Record<string, string>> {
  const text = [...new Set(run.record.notes)].join('\n');
  return text === '' ? {} : {[notesProperty]: text.length > mostNoteText ? `${text.slice(0, mostNoteText - 1)}…` : text};
}

function annotationsOfFailure({annotations}: ImageBehaviour, scope: PolicyScope): Readonly<Record<string, string>> {
  try {
    return annotationValues(annotations, scope);
  } catch (thrown) {
    // They are told beside the verdict and never change it.
    if (!(thrown instanceof EvalError)) throw thrown;
    return {};
  }
}

function matches({conditions}: ImageBehaviour, {lenient}: ImageMode, scope: PolicyScope): boolean {
  try {
    return conditionsHold(conditions, scope);
  } catch (thrown) {
    if (lenient && thrown instanceof EvalError && !(thrown instanceof BudgetError)) return false;
    throw thrown;
  }
}

/** Those of containers, and what the policy's own expressions find; a name of its own goes before a standard one. */
function allImages({extractors}: CompiledImages, {bindings, host}: PolicyScope, standard: ImageLists): ImageLists {
  const lists: Record<string, readonly string[]> = Object.assign(Object.create(null), standard);
  for (const {name, program} of extractors) {
    const value = program.evaluate(bindings, host);
    if (!Array.isArray(value) || !value.every(item => typeof item === 'string')) {
      throw new EvalError(`images.${name}: the expression comes to no list of texts`);
    }
    lists[name] = value as readonly string[];
  }
  return lists;
}

function bindingsOf({attestors, attestations}: CompiledImages, lists: ImageLists, secrets: string) {
  const names: Record<string, string> = Object.create(null);
  for (const name of attestations.keys()) names[name] = name;
  return {
    lists,
    attestations: names,
    attestors(frame: {readonly bindings: PolicyScope['bindings']; readonly host: PolicyScope['host']}): Readonly<Record<string, Value>> {
      const values: Record<string, Value> = Object.create(null);
      for (const attestor of attestors) {
        const {name, type} = attestor.model;
        values[name] = new AttestorValue(name, type === 'notary', () => resolveAttestor(attestor, frame, secrets));
      }
      return values;
    },
  };
}

/** Secrets of a policy are in its namespace, or in the operator's. */
function secretHome({namespace}: CompiledImages, {host}: PolicyScope): string {
  return namespace ?? host.operatorNamespace;
}

function accessOf(images: CompiledImages, scope: PolicyScope, ofPod: readonly string[]): RegistryAccess {
  const {providers, secrets, allowInsecureRegistry} = images.credentials;
  const home = secretHome(images, scope);
  const own = secrets.map(secret => {
    const [first = '', second] = secret.split('/');
    return second === undefined ? {namespace: home, name: first} : {namespace: first, name: second};
  });
  const {namespace} = scope.request;
  return {providers, allowInsecureRegistry, secrets: [...own, ...ofPod.map(name => ({namespace, name}))]};
}

/** The first Pod that is not in order decides; one that is skipped does not. */
function evaluatePods(behaviour: ImageBehaviour, mode: ImageMode, scope: PolicyScope): ImageAnswer | undefined {
  const object = scope.request.object ?? scope.request.oldObject ?? {};
  const pods = findPods(object, scope.host.budget);
  const {group, version, kind} = scope.request.kind;
  if (pods.length === 0) {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    throw new EvalError(`extraction mode: no pod template found in ${apiVersion}/${kind}`);
  }
  let best: ImageAnswer | undefined;
  const records: ImageRecord[] = [];
  for (const {path, pod} of pods) {
    const answer = evaluateObject(behaviour, mode, {scope: scope.withObject(pod), object: pod, path: ['spec']});
    if (answer === undefined) continue;
    if (answer.record !== undefined) records.push(answer.record);
    const {verdict} = answer;
    if (verdict.status === 'fail' || verdict.status === 'error') {
      return {...answer, verdict: {...verdict, message: `${verdict.message} (pod template at ${path})`}};
    }
    if (best === undefined || best.verdict.status === 'skip') best = answer;
  }
  return best && {verdict: best.verdict, record: merged(records)};
}

function merged(records: readonly ImageRecord[]): ImageRecord {
  const union = (pick: (record: ImageRecord) => Iterable<string>) => new Set(records.flatMap(record => [...pick(record)]));
  return {
    meant: [...union(({meant}) => meant)],
    checked: union(({checked}) => checked),
    verified: union(({verified}) => verified),
    uncached: records.some(({uncached}) => uncached),
    notes: records.flatMap(({notes}) => notes),
  };
}
