import {type JsonObject, own} from '../json/types.js';
import {child, has, integer, list, objects, text} from '../policy/access.js';
import {buildContext} from '../policy/build-context.js';
import {buildFilterGroup, conditionsOf} from '../policy/build-match.js';
import type {Scope} from '../policy/check-scope.js';
import {checkConditions} from '../policy/checks-conditions.js';
import {checkContext} from '../policy/checks-context.js';
import {checkMatch} from '../policy/checks-match.js';
import {at, Faults, shown} from '../policy/faults.js';
import {filtersOf, hasDirect} from '../policy/filters.js';
import {cleanupSpecShape, policyShape} from '../policy/known-fields.js';
import {isLoadable, type LoadOptions, readMetadata} from '../policy/load-policy.js';
import type {FilterGroup, LoadResult} from '../policy/model.js';
import {readObject} from '../policy/shape.js';
import {checkCleanupVariables} from './check-variables.js';
import type {CleanupPolicy, Propagation} from './model.js';
import {parseSchedule, type Schedule} from './schedule.js';

const versions = ['kyverno.io/v2', 'kyverno.io/v2beta1', 'kyverno.io/v2alpha1'];
const userFields = ['roles', 'clusterRoles', 'subjects'];

/** A CleanupPolicy or ClusterCleanupPolicy → its canonical form, or every fault with its path. Never throws. */
export function loadCleanupPolicy(raw: JsonObject, options: Omit<LoadOptions, 'old'>): LoadResult<CleanupPolicy> {
  const faults = new Faults();
  const done = (policy: CleanupPolicy | undefined) => ({policy, errors: faults.errors, warnings: faults.warnings});
  if (!isLoadable(raw, faults)) return done(undefined);
  const outer = readObject(raw, policyShape, '', faults) ?? {};
  const metadata = readMetadata(raw, faults);
  const kind = checkHead(outer, metadata, faults);
  if (!child(raw, 'spec')) faults.error('spec-missing', 'spec', `expected an object, found ${shown(own(raw, 'spec'))}`);
  const spec = readObject(child(raw, 'spec') ?? {}, cleanupSpecShape, 'spec', faults) ?? {};
  const namespaced = kind === 'CleanupPolicy';
  const scope: Scope = {
    faults,
    resources: options.resources,
    namespaced,
    namespace: namespaced ? (text(metadata, 'namespace') ?? '') : '',
    background: false,
    spec,
    rulePaths: [],
    mutatesExisting: false,
    unknownKinds: options.unknownKinds ?? 'warn',
  };
  checkSpec(spec, scope);
  const schedule = checkSchedule(spec, faults);
  if (faults.errors.length > 0 || schedule === undefined) return done(undefined);
  return done(build({raw, metadata, spec, kind, schedule}));
}

function checkHead(outer: JsonObject, metadata: JsonObject, faults: Faults): string {
  const kind = text(outer, 'kind') ?? '';
  if (kind !== 'CleanupPolicy' && kind !== 'ClusterCleanupPolicy') {
    faults.error('kind', 'kind', `expected CleanupPolicy or ClusterCleanupPolicy, found ${shown(own(outer, 'kind'))}`);
  }
  if (!versions.includes(text(outer, 'apiVersion') ?? '')) {
    faults.error('api-version', 'apiVersion', `expected kyverno.io/v2, found ${shown(own(outer, 'apiVersion'))}`);
  }
  if (!text(metadata, 'name') && !text(metadata, 'generateName')) {
    faults.error('name-missing', 'metadata.name', 'name is required');
  }
  return kind;
}

function checkSpec(spec: JsonObject, scope: Scope): void {
  const {faults} = scope;
  if (!has(spec, 'match')) faults.error('match-missing', 'spec.match', 'match is required');
  else checkMatch(spec, 'spec', scope);
  for (const block of ['match', 'exclude'] as const) checkFilters(child(spec, block), `spec.${block}`, faults);
  checkContext(objects(spec, 'context'), 'spec.context', scope);
  checkConditions(own(spec, 'conditions'), 'spec.conditions', faults);
  checkCleanupVariables(spec, faults);
}

function checkFilters(block: JsonObject | undefined, path: string, faults: Faults): void {
  if (block !== undefined && hasDirect(block)) {
    faults.compat(path, 'resources directly in the block are read as the only entry of "all"');
  }
  for (const {filter, path: place} of filtersOf(block, path)) {
    for (const field of userFields) {
      if (list(filter, field).length === 0) continue;
      faults.error('cleanup-user-info', at(place, field), 'Usage of user info is forbidden', {
        hint: 'nobody asks for a clean-up: there is no user to compare with',
      });
    }
    if (list(child(filter, 'resources'), 'operations').length > 0) {
      faults.warn(
        'cleanup-operations',
        at(at(place, 'resources'), 'operations'),
        'operations do not matter to a clean-up',
      );
    }
  }
}

function checkSchedule(spec: JsonObject, faults: Faults): Schedule | undefined {
  const written = text(spec, 'schedule');
  if (written === undefined || written === '') {
    if (!has(spec, 'schedule')) faults.error('cleanup-schedule', 'spec.schedule', 'a schedule is required');
    else if (written === '') faults.error('cleanup-schedule', 'spec.schedule', notCron, {hint: 'it is empty'});
    return undefined;
  }
  const parsed = parseSchedule(written);
  if ('schedule' in parsed) return parsed.schedule;
  faults.error('cleanup-schedule', 'spec.schedule', `${notCron}: ${JSON.stringify(written.slice(0, 80))}`, {
    hint: parsed.error,
  });
  return undefined;
}

const notCron = 'schedule spec in the cleanupPolicy is not in proper cron format';

interface Parts {
  readonly raw: JsonObject;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly kind: string;
  readonly schedule: Schedule;
}

const emptyGroup: FilterGroup = {mode: 'all', filters: []};

function build({raw, metadata, spec, kind, schedule}: Parts): CleanupPolicy {
  const name = text(metadata, 'name') ?? '';
  // A file may leave the namespace out; "everywhere" must never be the reading of that.
  const namespace = kind === 'CleanupPolicy' ? text(metadata, 'namespace') || 'default' : '';
  return {
    ref: {
      apiVersion: text(raw, 'apiVersion') ?? '',
      kind,
      namespace,
      name,
      key: namespace === '' ? name : `${namespace}/${name}`,
    },
    uid: text(metadata, 'uid') ?? '',
    generation: integer(child(raw, 'metadata'), 'generation') ?? 0,
    match: buildFilterGroup(child(spec, 'match')) ?? emptyGroup,
    exclude: buildFilterGroup(child(spec, 'exclude')),
    conditions: conditionsOf(spec, 'conditions'),
    context: buildContext(objects(spec, 'context')),
    schedule,
    propagation: text(spec, 'deletionPropagationPolicy') as Propagation | undefined,
    raw,
  };
}
