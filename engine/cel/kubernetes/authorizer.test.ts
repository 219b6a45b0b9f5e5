import {describe, expect, it} from 'vitest';
import {bindingsOf, celEnvironment, celHost, programOf} from '../../../test/cel/environment.js';
import {BudgetError, EvalError} from '../../diagnostic.js';
import type {CelHost} from '../library/library.js';
import {opaque} from '../types/type.js';
import {valueText} from '../values/index.js';
import {authorizerLibrary} from './authorizer.js';
import {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type Authorizer,
  AuthorizerValue,
} from './authorizer-values.js';

const environment = celEnvironment({
  libraries: [authorizerLibrary],
  variables: {authorizer: opaque('kubernetes.authorization.Authorizer')},
});

/** Text of the value, and what the authorizer was asked. */
function run(
  source: string,
  decide: () => AuthorizationDecision = () => ({allowed: true, reason: 'because'}),
): {result: string; asked: AuthorizationAttributes[]} {
  const asked: AuthorizationAttributes[] = [];
  const authorizer: Authorizer = {
    authorize(attributes) {
      asked.push(attributes);
      return decide();
    },
  };
  const settled = new Map<string, unknown>();
  const settle: CelHost['settle'] = (key, load) => {
    if (!settled.has(key)) settled.set(key, load({deadline: Number.POSITIVE_INFINITY}));
    return settled.get(key) as never;
  };
  const value = new AuthorizerValue({username: 'jane', groups: ['dev']}, authorizer);
  try {
    const bindings = bindingsOf(environment, {authorizer: value});
    return {result: valueText(programOf(environment, source).evaluate(bindings, {...celHost(), settle})), asked};
  } catch (error) {
    if (error instanceof EvalError && !(error instanceof BudgetError))
      return {result: `error: ${error.message}`, asked};
    throw error;
  }
}

describe('the authorizer', () => {
  it('asks for resources with all that was given', () => {
    const {result, asked} = run(
      `authorizer.group('apps').resource('deployments').subresource('scale').namespace('ns').name('web')
        .fieldSelector('a=b').labelSelector('c in (d)').check('update').allowed()`,
    );
    expect(result).toBe('true');
    expect(asked).toEqual([
      {
        user: {username: 'jane', groups: ['dev']},
        verb: 'update',
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'ns',
        name: 'web',
        fieldSelector: 'a=b',
        labelSelector: 'c in (d)',
      },
    ]);
  });

  it('asks for paths, and in the name of service accounts', () => {
    const {result, asked} = run(`authorizer.serviceAccount('ns', 'bot').path('/healthz').check('get').reason()`);
    expect(result).toBe('"because"');
    expect(asked).toEqual([
      {
        user: {
          username: 'system:serviceaccount:ns:bot',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        },
        verb: 'get',
        path: '/healthz',
      },
    ]);
  });

  it('asks each question once', () => {
    const check = `authorizer.path('/x').check('get').allowed()`;
    expect(run(`${check} && ${check} && !authorizer.path('/x').check('post').errored()`).asked).toHaveLength(2);
  });

  it('takes a question without answer for a decision with an error', () => {
    const fail = (): never => {
      throw new EvalError('no cluster');
    };
    expect(run(`authorizer.path('/x').check('get').errored()`, fail).result).toBe('true');
    expect(run(`authorizer.path('/x').check('get').error()`, fail).result).toBe('"no cluster"');
    expect(run(`authorizer.path('/x').check('get').allowed()`, fail).result).toBe('false');
    const spent = (): never => {
      throw new BudgetError('spent');
    };
    expect(() => run(`authorizer.path('/x').check('get').errored()`, spent)).toThrow(BudgetError);
  });

  it.each([
    [`authorizer.path(' ')`, 'path must not be empty'],
    [`authorizer.group('').resource('')`, 'resource must not be empty'],
    [`authorizer.serviceAccount('ns', 'No!')`, 'Invalid service account name'],
    [`authorizer.serviceAccount('a.b', 'bot')`, 'Invalid service account namespace'],
  ])('refuses %s', (source, message) => {
    expect(run(source).result).toBe(`error: ${message}`);
  });
});
