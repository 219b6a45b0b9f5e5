import {describe, expect, it} from 'vitest';
import {isSecretName, masked, SecretTexts} from './mask.js';

describe('names that look like secrets', () => {
  it.each([
    'password',
    'DB_PASSWORD',
    'clientSecret',
    'api-key',
    'apiKey',
    'AWS_SECRET_ACCESS_KEY',
    'authToken',
    'credentials',
    'privateKey',
  ])('%s does', name => expect(isSecretName(name)).toBe(true));
  it.each([
    'secretName',
    'imagePullSecrets',
    'automountServiceAccountToken',
    'serviceAccountName',
    'key',
    'name',
    'tokens-per-minute',
    'passthrough',
    'secretKeyRef',
  ])('%s does not', name => expect(isSecretName(name)).toBe(false));
});

describe('secret texts', () => {
  const collected = new SecretTexts();
  collected.collect({
    kind: 'Secret',
    data: {a: 'c3dvcmRmaXNo', short: 'eA=='},
    stringData: {b: 'plain text'},
    metadata: {name: 'visible'},
  });
  collected.collect({
    spec: {
      containers: [
        {
          env: [
            {name: 'DB_PASSWORD', value: 'hunter22'},
            {name: 'LEVEL', value: 'debugging'},
          ],
          token: 'abcdefgh',
        },
      ],
      secretName: 'certs',
    },
  });
  collected.collect({password: '{{ variable }}'});

  it.each([
    ['c3dvcmRmaXNo', masked],
    ['the word swordfish in a message', `the word ${masked} in a message`],
    ['plain text', masked],
    ['x', masked],
    ['xylophone', 'xylophone'],
    ['user:hunter22@host', `user:${masked}@host`],
    ['abcdefgh', masked],
    ['debugging', 'debugging'],
    ['visible', 'visible'],
    ['certs', 'certs'],
    ['{{ variable }}', '{{ variable }}'],
  ])('%s is shown as %s', (text, wanted) => expect(collected.hide(text)).toBe(wanted));

  it('are hidden at any depth, and so is what stands under a telling name', () => {
    expect(collected.hideIn({list: [{deep: 'swordfish'}], password: 'unknown', count: 3, flag: true})).toEqual({
      list: [{deep: masked}],
      password: masked,
      count: 3,
      flag: true,
    });
  });

  it('leave names of the prototype alone', () => {
    const value = JSON.parse('{"__proto__": {"a": "swordfish"}, "constructor": "x2"}');
    expect(JSON.stringify(collected.hideIn(value))).toBe('{"__proto__":{"a":"***"},"constructor":"x2"}');
  });
});
