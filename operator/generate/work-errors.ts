import {KubeError} from '../../adapters/kube/kube-error.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';

/** Who lacks a right: who changes objects in the background, or the process itself, which reads what rules look up. */
export type RightHolder = 'worker' | 'process';

/** What the operator may not do; nothing but granting it helps. */
export class MissingRight extends Error {
  override readonly name = 'MissingRight';
  /** Name of the object that it was missing for, since it may be granted for that one alone; empty for a whole collection. */
  readonly object: string;
  readonly holder: RightHolder;
  constructor(
    readonly verb: string,
    readonly group: string,
    readonly resource: string,
    readonly namespace: string,
    at: {readonly name?: string | undefined; readonly holder?: RightHolder} = {},
  ) {
    super(`missing right: ${verb} ${group === '' ? resource : `${resource}.${group}`}${namespace === '' ? '' : ` in namespace ${namespace}`}`);
    this.object = at.name ?? '';
    this.holder = at.holder ?? 'worker';
  }

  /** One right, wherever it is missing. */
  get key(): string {
    return `${this.verb} ${this.group}/${this.resource}`;
  }
}

/** A role or binding gives what the operator itself does not have. It may be granted as one right or as many: the work is tried again. */
export class NotHeld extends Error {
  override readonly name = 'NotHeld';
}

/** What trying again cannot mend: the rule, its output or another object has to change. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    /** Of a condition. */
    readonly reason: 'Invalid' | 'ImmutableField' | 'ForeignObject' | 'ChainTooLong',
    message: string,
  ) {
    super(message);
  }
}

/** Several things went wrong; the worst decides what follows. */
export class SeveralErrors extends Error {
  override readonly name = 'SeveralErrors';
  constructor(readonly errors: readonly unknown[]) {
    super(errors.map(error => (error instanceof Error ? error.message : String(error))).join('; '));
  }
}

export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new SeveralErrors(errors);
}

/** All single errors within. */
export function errorsIn(error: unknown): readonly unknown[] {
  return error instanceof SeveralErrors ? error.errors.flatMap(errorsIn) : [error];
}

export function textOfError(error: unknown): string {
  return errorsIn(error)
    .map(item => (item instanceof Error ? item.message : String(item)))
    .join('; ');
}

/** What a rule's failure comes from. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** A webhook that should have judged the write, ours or another's, gave no answer: that says nothing of the work. */
export function isWebhookAway(error: unknown): boolean {
  return error instanceof KubeError && error.status >= 500 && /failed calling webhook/.test(error.message);
}

export interface FailedWrite {
  readonly verb: string;
  readonly kind: Pick<KindInfo, 'group' | 'resource'>;
  readonly namespace?: string | undefined;
  /** Where the right may be granted for the one object; absent: it is told and waited for as one for all. */
  readonly name?: string | undefined;
  /** What was to be written. */
  readonly object?: JsonObject;
}

/** What a write's refusal by the API server means for the work. */
export function writeFailure(error: unknown, {verb, kind, namespace = '', name, object}: FailedWrite): unknown {
  if (!(error instanceof KubeError)) return error;
  if (error.status === 403 && notHeld.test(error.message)) return new NotHeld(notHeldMessage(error.message, object));
  if (error.status === 403 && /being terminated/.test(error.message)) return new Gone(error.message);
  // A quota or a webhook says no by the same code: that is no right that could be granted.
  if (error.status === 403 && /cannot \w+ resource/.test(error.message)) return refusedRight(error.message, namespace, name) ?? new MissingRight(verb, kind.group, kind.resource, namespace, {name});
  if (error.status === 422 && immutable.test(error.message)) return new Refused('ImmutableField', immutableMessage(error.message));
  if (error.status === 422 || error.status === 400) return new Refused('Invalid', error.message);
  return error;
}

/**
 * How API servers word it that a field stays as it was created: most kinds, RoleBindings, StatefulSets and StorageClasses,
 * Pods, PriorityClasses, Services.
 */
const immutable = /immutable|cannot change roleRef|\bupdates to [^:]* (is|are) forbidden|may not change fields other than|may not be changed in an update|may not change once set/i;
const notHeld = /attempting to grant RBAC permissions not currently held:\s*/;
const longestList = 500;

/** Of a binding the one right that helps; of a role what is missing, as the API server lists it. */
function notHeldMessage(message: string, object: JsonObject | undefined): string {
  const [kind, name] = ['kind', 'name'].map(key => ownPath(object, 'roleRef', key));
  if (typeof name === 'string') return `missing right: bind ${kind === 'Role' ? 'roles' : 'clusterroles'}.rbac.authorization.k8s.io with the name ${name}, or all that it gives`;
  const lacking = message.split(notHeld)[1]!.split('\n').join(', ');
  return `missing right: all that the role gives: ${lacking.length > longestList ? `${lacking.slice(0, longestList)}…` : lacking}`;
}

/** As the API server worded it: `User "x" cannot create resource "deployments/scale" in API group "apps" in the namespace "shop"`. */
function refusedRight(message: string, namespace: string, name: string | undefined): MissingRight | undefined {
  const [, verb, resource, group] = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(message) ?? [];
  return verb === undefined || resource === undefined || group === undefined ? undefined : new MissingRight(verb, group, resource, namespace, {name});
}

/** The place where the work was to be done is going away: there is nothing to do. */
export class Gone extends Error {
  override readonly name = 'Gone';
}

function immutableMessage(message: string): string {
  const [, field = ''] = /is invalid: \[?([A-Za-z0-9_.[\]"-]+):/.exec(message) ?? [];
  return field === '' ? `an immutable field would change: ${message}` : `immutable field ${field} would change: ${message}`;
}
