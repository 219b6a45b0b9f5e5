import {expect, it} from 'vitest';
import {celCache, celPolicy} from '../../engine/cel-policies/testing/cel-engines.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {OwnRights} from '../permissions/own-rights.js';
import {celStatusSource} from './cel-status-source.js';

const rights: OwnRights = {can: () => true, refresh: () => Promise.resolve(false)};
const spec = '{schedule: "@daily", matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}, conditions: [{name: a, expression: "true"}]}';

it('what the runs of a DeletingPolicy met with stays in its status until it is edited', () => {
  const cache = celCache();
  const policy = celPolicy('DeletingPolicy', spec);
  const {kind, key, generation} = cache.putPolicy(policy);
  const source = celStatusSource({cache, rights, native: () => undefined, background: () => [], hasOwnConditions: () => true});
  const typesWith = (observedGeneration: number) => {
    const told = ['GuardsValid', 'PermissionsGranted', 'LastRunSucceeded'].map(type => ({type, status: 'False', reason: 'R', message: 'm', observedGeneration}));
    const object: JsonObject = {...policy, metadata: {...(policy['metadata'] as JsonObject), generation}, status: {conditions: told}};
    const status = source.statusOf(kind, key, {object, readiness: {ready: true}, now: '2026-01-01T00:00:00Z'});
    return (ownPath(status, 'conditions') as JsonObject[]).map(({type}) => type);
  };
  expect(typesWith(generation)).toEqual(expect.arrayContaining(['Ready', 'GuardsValid', 'PermissionsGranted', 'LastRunSucceeded']));
  expect(typesWith(generation - 1)).not.toContain('LastRunSucceeded');
});
