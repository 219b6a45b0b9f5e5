import {describe, expect, it} from 'vitest';
import {type Flags, flagUsage, inertFlags, parseFlags} from './flags.js';

function read(argv: readonly string[], environment: Record<string, string> = {}): Flags {
  const outcome = parseFlags(argv, environment);
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome.flags;
}

describe('flags are read as Go reads them', () => {
  const rows: [string, string[], Partial<Flags>][] = [
    [
      'nothing given',
      [],
      {loggingFormat: 'text', v: 2, webhookTimeout: 10, webhookServerPort: 9443, enablePolicyException: true},
    ],
    ['two dashes and a value', ['--loggingFormat=json', '--v=4'], {loggingFormat: 'json', v: 4}],
    ['one dash', ['-v=1', '-loggingFormat=json'], {loggingFormat: 'json', v: 1}],
    ['the value as the next word', ['--v', '5', '-webhookTimeout', '30'], {v: 5, webhookTimeout: 30}],
    ['a bare switch', ['--dumpPayload', '--v=3'], {dumpPayload: true, v: 3}],
    [
      'a switch with a value',
      ['--enablePolicyException=false', '-crdWatcher=T'],
      {enablePolicyException: false, crdWatcher: true},
    ],
    ['an empty value', ['--exceptionNamespace='], {exceptionNamespace: ''}],
    ['a value with =', ['--caSecretName=a=b'], {caSecretName: 'a=b'}],
    ['the last of several', ['--v=1', '--v=2', '--v=3'], {v: 3}],
    [
      'words in any case',
      ['--loggingFormat=JSON', '--tlsKeyAlgorithm=ed25519'],
      {loggingFormat: 'json', tlsKeyAlgorithm: 'Ed25519'},
    ],
    [
      'durations in milliseconds',
      ['--renewBefore=1h30m', '--apiCallTimeout=0'],
      {renewBefore: 5_400_000, apiCallTimeout: 0},
    ],
    ['default durations', [], {renewBefore: 1_296_000_000, leaderElectionRetryPeriod: 2000, apiCallTimeout: 30_000}],
    ['lists', ['--omitEvents=PolicyApplied, PolicySkipped,'], {omitEvents: ['PolicyApplied', 'PolicySkipped']}],
    ['a list that replaces the default', ['--httpBlocklist='], {httpBlocklist: []}],
    ['fractions', ['--clientRateLimitQPS=12.5'], {clientRateLimitQPS: 12.5}],
    ['limits that are off', ['--maxAPICallResponseLength=0'], {maxAPICallResponseLength: 0}],
  ];
  it.each(rows)('%s', (_, argv, expected) => {
    expect(read(argv)).toMatchObject(expected);
  });
});

describe('a wrong argument is named together with what is allowed', () => {
  const rows: [string, string[], string][] = [
    [
      'an unknown word',
      ['--loggingFormat=yaml'],
      'invalid value "yaml" for flag --loggingFormat: it takes text or json',
    ],
    ['a level above the range', ['--v=6'], 'invalid value "6" for flag --v: it takes a whole number from 1 to 5'],
    ['a level below the range', ['--v=0'], 'invalid value "0" for flag --v: it takes a whole number from 1 to 5'],
    ['no number', ['--v=high'], 'invalid value "high" for flag --v: it takes a whole number from 1 to 5'],
    [
      'a timeout that no API server takes',
      ['--webhookTimeout=31'],
      'invalid value "31" for flag --webhookTimeout: it takes a whole number from 1 to 30',
    ],
    [
      'no duration',
      ['--renewBefore=15d'],
      'invalid value "15d" for flag --renewBefore: it takes a duration such as 90s or 1h30m',
    ],
    [
      'a negative duration',
      ['--renewBefore=-1h'],
      'invalid value "-1h" for flag --renewBefore: it takes a duration such as 90s or 1h30m',
    ],
    [
      'a switch that is neither',
      ['--dumpPayload=yes'],
      'invalid value "yes" for flag --dumpPayload: it takes true or false',
    ],
    ['a word after a switch', ['--dumpPayload', 'true'], 'unexpected argument "true": flags look like --name=value'],
    [
      'an unknown key algorithm',
      ['--tlsKeyAlgorithm=DSA'],
      'invalid value "DSA" for flag --tlsKeyAlgorithm: it takes RSA, ECDSA or Ed25519',
    ],
    [
      'an unknown part of a list',
      ['--allowedResults=pass,maybe'],
      'invalid value "pass,maybe" for flag --allowedResults: it takes a comma-separated list of pass, fail, error, warn or skip',
    ],
    ['an unknown flag', ['--nope=1'], 'unknown flag --nope'],
    [
      'a flag in the wrong case',
      ['--loggingformat=json'],
      'unknown flag --loggingformat, did you mean --loggingFormat?',
    ],
    ['a missing value', ['--v'], 'flag --v needs a value: it takes a whole number from 1 to 5'],
    ['three dashes', ['---v=1'], 'unexpected argument "---v=1": flags look like --name=value'],
    ['no name', ['--=1'], 'unexpected argument "--=1": flags look like --name=value'],
    ['a lone word', ['serve'], 'unexpected argument "serve": flags look like --name=value'],
    ['a name of every object', ['--constructor=1'], 'unknown flag --constructor'],
  ];
  it.each(rows)('%s', (_, argv, error) => {
    expect(parseFlags(argv, {})).toEqual({error});
  });
});

describe('environment variables', () => {
  it('count when the flag is not given', () => {
    expect(
      read([], {FLAG_FORCE_FAILURE_POLICY_IGNORE: 'true', FLAG_HTTP_ALLOWLIST: 'https://a,https://b'}),
    ).toMatchObject({
      forceFailurePolicyIgnore: true,
      httpAllowlist: ['https://a', 'https://b'],
    });
  });

  it('yield to the flag', () => {
    expect(
      read(['--forceFailurePolicyIgnore=false'], {FLAG_FORCE_FAILURE_POLICY_IGNORE: 'true'}).forceFailurePolicyIgnore,
    ).toBe(false);
  });

  it('count as unset when empty', () => {
    expect(read([], {FLAG_HTTP_BLOCKLIST: ''}).httpBlocklist).toContain('169.254.169.254');
  });

  it('are named when their value is wrong', () => {
    expect(parseFlags([], {FLAG_DUMP_PATCHES: 'maybe'})).toEqual({
      error: 'invalid value "maybe" for environment variable FLAG_DUMP_PATCHES: it takes true or false',
    });
  });

  it.each([
    ['FLAG_PROTECT_MANAGED_RESOURCES', 'protectManagedResources'],
    ['FLAG_FORCE_FAILURE_POLICY_IGNORE', 'forceFailurePolicyIgnore'],
    ['FLAG_GENERATE_VALIDATING_ADMISSION_POLICY', 'generateValidatingAdmissionPolicy'],
    ['FLAG_GENERATE_MUTATING_ADMISSION_POLICY', 'generateMutatingAdmissionPolicy'],
    ['FLAG_DUMP_PATCHES', 'dumpPatches'],
    ['FLAG_ENABLE_DEFERRED_LOADING', 'enableDeferredLoading'],
    ['FLAG_ENABLE_HTTP_IN_NAMESPACED_POLICIES', 'allowHTTPInNamespacedPolicies'],
  ] as const)('%s sets %s', (variable, flag) => {
    expect([read([], {[variable]: 'false'})[flag], read([], {[variable]: 'true'})[flag]]).toEqual([false, true]);
  });
});

describe('flags of features that do not exist yet', () => {
  it('are accepted and told when given', () => {
    expect(parseFlags(['--vmodule=x', '--v=3', '--enableCosignLogging=true'], {})).toMatchObject({
      withoutEffect: ['vmodule', 'enableCosignLogging'],
    });
  });

  it('are listed', () => {
    expect(inertFlags).toEqual(expect.arrayContaining(['enableCosignLogging', 'vmodule']));
    expect(inertFlags).not.toEqual(expect.arrayContaining(['loggingFormat']));
  });

  it('are marked in the usage text', () => {
    expect(flagUsage()).toContain('  --genWorkers=10  (a whole number from 1; no effect yet)\n');
    expect(flagUsage()).toContain('  --loggingFormat=text  (text or json)\n');
  });
});
