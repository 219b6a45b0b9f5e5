import {describe, expect, it} from 'vitest';
import {lackOf} from './lacking.js';

describe('what a provider lacks', () => {
  const keys = {AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b'};
  const role = {AWS_ROLE_ARN: 'a', AWS_WEB_IDENTITY_TOKEN_FILE: '/f'};
  const identity = {AZURE_CLIENT_ID: 'a', AZURE_TENANT_ID: 'b', AZURE_FEDERATED_TOKEN_FILE: '/f'};
  const rows: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string | undefined, lacks: string | undefined]> = [
    ['amazon', {}, undefined, 'neither AWS_ACCESS_KEY_ID'],
    ['amazon', {AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: ''}, undefined, 'neither AWS_ACCESS_KEY_ID'],
    ['amazon', keys, undefined, undefined],
    ['amazon', role, undefined, undefined],
    ['azure', {AZURE_CLIENT_ID: 'a'}, undefined, 'are not all set'],
    ['azure', identity, undefined, undefined],
    ['google', {}, 'Standard PC', 'no machine of Google'],
    ['google', {}, 'Google Compute Engine', undefined],
    ['google', {}, undefined, undefined],
    ['google', {GCE_METADATA_HOST: '127.0.0.1'}, 'Standard PC', undefined],
    ['github', {}, undefined, 'GITHUB_TOKEN is not set'],
    ['github', {GITHUB_TOKEN: 't'}, undefined, undefined],
    ['default', {}, undefined, undefined],
  ];
  it.each(rows)('%s with %j on %s: %s', (provider, environment, product, lacks) => {
    const found = lackOf(provider, environment, () => product);
    if (lacks === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(lacks);
  });
});
