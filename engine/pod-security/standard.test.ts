import {describe, expect, it} from 'vitest';
import {compileStandard} from './standard.js';
import {minors} from './testing/standard-case.js';

describe('the checks of a standard', () => {
  it('has the checks of each version that Kubernetes has', () => {
    expect(minors).toEqual([0, 7, 8, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37]);
  });

  it('lets everything pass at the privileged level', () => {
    expect(compileStandard('privileged', 'latest')).toEqual([]);
  });

  it('reads an empty version as the newest', () => {
    const ids = (version: string) => compileStandard('restricted', version).map(check => check.source.id);
    expect(ids('')).toEqual(ids('latest'));
    expect(ids('v1.999')).toEqual(ids('latest'));
  });
});
