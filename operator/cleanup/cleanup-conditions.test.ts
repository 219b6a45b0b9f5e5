import {describe, expect, it} from 'vitest';
import {conditionsBeside, isOfRule, ruleConditions, runConditions} from './cleanup-conditions.js';
import type {CleanupReport} from './cleanup-job.js';

const good: CleanupReport = {looked: 3, deleted: 0, spared: 0, problems: [], forbidden: []};
const bad: CleanupReport = {
  ...good,
  problems: [
    {message: '3 of 3 objects would go', isForbidden: false},
    {message: 'failed to list secrets', isForbidden: true},
  ],
  forbidden: ['list secrets'],
};

describe('conditions of clean-ups', () => {
  it('of a policy tell good and bad', () => {
    expect(runConditions(good).map(({type, status}) => `${type} ${status}`)).toEqual(['PermissionsGranted True', 'LastRunSucceeded True']);
    expect(runConditions(bad).map(({type, status}) => `${type} ${status}`)).toEqual(['PermissionsGranted False', 'LastRunSucceeded False']);
    expect(runConditions({...good, spared: 2})[1]?.message).toBe('the last run was a dry one: 2 of 3 objects would go');
  });

  it('of a rule tell what is wrong, a missing right once, and go when it is mended', () => {
    expect(ruleConditions('old pods', bad)).toMatchObject([
      {type: 'CleanUp-Forbidden-old-pods', message: expect.stringContaining('list secrets')},
      {type: 'CleanUp-Problems-old-pods', message: 'rule old pods: 3 of 3 objects would go'},
    ]);
    const others = [{type: 'Ready'}, {type: 'CleanUp-Problems-other'}];
    const object = {status: {conditions: [others[0]!, {type: 'CleanUp-Problems-old-pods'}, others[1]!]}};
    const isMine = (type: string) => isOfRule('old pods', type);
    expect(conditionsBeside(object, {isMine, wanted: ruleConditions('old pods', good), now: ''})).toEqual(others);
  });
});
