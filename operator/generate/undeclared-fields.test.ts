import {describe, expect, it} from 'vitest';
import {withoutUndeclared} from './undeclared-fields.js';

const refused = (paths: string) => `failed to create typed patch object (a/b; rbac.authorization.k8s.io/v1, Kind=RoleBinding): ${paths}`;

describe('fields that a schema does not have', () => {
  it('are left out where the API server names them', () => {
    expect(withoutUndeclared({roleRef: {name: 'r', namespace: 'n'}}, refused('.roleRef.namespace: field not declared in schema'))).toEqual({roleRef: {name: 'r'}});
  });

  it('are left out of lists and under names with dots', () => {
    const object = {metadata: {labels: {'a.b/c': {x: 1, y: 2}}}, list: [{name: 'a', odd: 1}, {name: 'b', odd: 2}], plain: [{odd: 1}]};
    const message = refused('errors:\n  .metadata.labels.a.b/c.x: field not declared in schema\n  .list[name="b"].odd: field not declared in schema\n  .plain[0].odd: field not declared in schema');
    expect(withoutUndeclared(object, message)).toEqual({metadata: {labels: {'a.b/c': {y: 2}}}, list: [{name: 'a', odd: 1}, {name: 'b'}], plain: [{}]});
  });

  it('are none in other messages, or where the object has none of that name', () => {
    expect(withoutUndeclared({a: 1}, refused('.b: field not declared in schema'))).toBeUndefined();
    expect(withoutUndeclared({a: 1}, 'the server is away')).toBeUndefined();
    expect(withoutUndeclared({a: 1}, refused('.__proto__.x: field not declared in schema'))).toBeUndefined();
  });
});
