import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {diagnosticsPage, diagnosticsText} from './generate-diagnostics.js';

describe('the page of diagnostics', () => {
  const text = diagnosticsText();

  it('is fresh (npm run generate)', () => {
    expect(readFileSync(join(resolve(import.meta.dirname, '..'), diagnosticsPage), 'utf8')).toBe(text);
  });

  it.each([
    ['not-served', 'error', '`rule …: … is not served by this release`'],
    ['kinds-missing', 'error', 'at least one element must be specified in a kind block'],
    ['no-rules', 'warning', '`the policy has no rules and does nothing`'],
    ['compat', 'warning', '`compat: …: …`'],
    ['egress', 'evaluation', 'only http and https are allowed'],
    ['budget', 'evaluation', ''],
  ])('knows %s', (code, severity, message) => {
    const row = text.split('\n').find(line => line.startsWith(`| \`${code}\` |`));
    expect(row).toContain(severity);
    expect(row).toContain(message);
  });
});
