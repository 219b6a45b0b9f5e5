import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../builtin-resources.js';
import {explainPolicy} from '../explain/explain-policy.js';
import type {Json, JsonObject} from '../json/types.js';
import {ownPath} from '../json/types.js';
import {deadline, engineOf, policyOf, regex} from '../testing/engines.js';
import {type ImageTables, type RecordingImages, recordingImages} from '../testing/image-source.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {requestOf} from '../testing/requests.js';
import type {EngineRequest, MutateOptions, PolicyResult} from '../types.js';

const d = (n: number) => `sha256:${String(n).padStart(64, '0')}`;
const key = (name: string) => `-----BEGIN PUBLIC KEY-----\\n${name}\\n-----END PUBLIC KEY-----\\n`;
const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';

const tables: ImageTables = {
  tags: {'reg.io/app:v1': d(1), 'reg.io/side:v1': d(2), 'reg.io/loose:v1': d(3), 'docker.io/nginx:latest': d(4)},
  signed: {[d(1)]: ['AAAA', 'BBBB'], [d(2)]: ['AAAA']},
  attested: {
    [d(1)]: {
      'https://slsa.dev/provenance/v1': [{predicate: {builder: {id: 'https://ci'}, request: {operation: 'FORGED'}}}],
      scan: [{predicate: {findings: [{id: 'a'}]}}, {predicate: {findings: []}}],
      vex: [{predicate: {known: ['a']}}],
    },
  },
  down: ['down.io'],
};

interface Setup {
  readonly tables?: ImageTables;
  readonly objects?: readonly JsonObject[];
}

function setup(policies: readonly JsonObject[], more: Setup = {}) {
  const images = recordingImages({...tables, ...more.tables});
  const {engine, cache} = engineOf([...policies, ...(more.objects ?? [])], {
    loader: recordingLoader({imageSource: images}),
    exceptionNamespace: '*',
  });
  const mutate = async (request: EngineRequest, options: Partial<MutateOptions> = {}) =>
    engine.verifyAndPatchImages(request, {deadline, ...options});
  return {images, engine, cache, mutate};
}

function images(entry: string, more = ''): string {
  return `[{name: r, ${pods}, ${more} verifyImages: [${entry}]}]`;
}

const signed = (name = 'AAAA', more = '') =>
  `{imageReferences: ["reg.io/*"], ${more} attestors: [{entries: [{keys: {publicKeys: "${key(name)}"}}]}]}`;

function pod(...texts: readonly string[]): JsonObject {
  return podWith(texts, {});
}

function podWith(texts: readonly string[], metadata: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: 'p', namespace: 'team', ...metadata},
    spec: {containers: texts.map((image, index) => ({name: `c${index}`, image}))},
  };
}

function told(results: readonly PolicyResult[]): string[] {
  return results.flatMap(({rules}) => rules.map(rule => `${rule.rule} ${rule.status}: ${rule.message}`));
}

const imageAt = (object: JsonObject | undefined, index = 0): Json | undefined => {
  const containers = ownPath(object, 'spec', 'containers');
  return Array.isArray(containers) ? ownPath(containers[index], 'image') : undefined;
};
const annotation = (object: JsonObject | undefined, name: string): Json | undefined =>
  ownPath(object, 'metadata', 'annotations', name);
const plain = 'kyverno.io/verify-images';
const scoped = 'kyverno.io/verify-images-scoped';

describe('an image that is signed', () => {
  it('gets its digest, and a record of it', async () => {
    const {mutate} = setup([policyOf('p', images(signed()))]);
    const {results, object, patch} = await mutate(requestOf({object: pod('reg.io/app:v1')}));
    expect(told(results)).toEqual(['r pass: verified image signatures for reg.io/app:v1']);
    expect(imageAt(object)).toBe(`reg.io/app:v1@${d(1)}`);
    expect(annotation(object, plain)).toBe(`{"reg.io/app@${d(1)}":"pass"}`);
    expect(JSON.parse(String(annotation(object, scoped)))).toEqual({
      version: 1,
      policies: {'/p': {r: {[`reg.io/app@${d(1)}`]: 'pass'}}},
    });
    expect(patch.map(({op, path}) => `${op} ${path}`)).toEqual(
      ['add /metadata/annotations', 'replace /spec/containers/0/image'].sort((a, b) => (a < b ? -1 : 1)),
    );
  });

  it('passes when the object is validated, by its record alone', async () => {
    const {mutate, engine, images: source} = setup([policyOf('p', images(signed()))]);
    const request = requestOf({object: pod('reg.io/app:v1')});
    const {object} = await mutate(request);
    const asked = source.calls.length;
    const {results} = await engine.validate({...request, object}, {bucket: 'enforce', deadline});
    expect(told(results)).toEqual(['r pass: image verified']);
    expect(results[0]?.rules[0]?.type).toBe('ImageVerify');
    expect(source.calls).toHaveLength(asked);
  });

  it('keeps its tag where no digest is wanted', async () => {
    const {mutate} = setup([policyOf('p', images(signed('AAAA', 'mutateDigest: false, verifyDigest: false,')))]);
    const {object} = await mutate(requestOf({object: pod('reg.io/app:v1')}));
    expect(imageAt(object)).toBe('reg.io/app:v1');
    expect(annotation(object, plain)).toBe('{"reg.io/app:v1":"pass"}');
  });

  it('is asked for by digest alone where the object has one, tag or no tag', async () => {
    const {mutate, images: source} = setup([policyOf('p', images(signed()))]);
    const {results} = await mutate(requestOf({object: pod(`reg.io/app:v9@${d(1)}`)}));
    expect(told(results)).toEqual([`r pass: verified image signatures for reg.io/app@${d(1)}`]);
    expect(source.calls).toEqual([`signature reg.io/app@${d(1)} AAAA`]);
  });

  it('is asked for by the same digest for all who have to vouch for it', async () => {
    const two = `{imageReferences: ["reg.io/*"], attestors: [{entries: [{keys: {publicKeys: "${key('AAAA')}"}}]}, {entries: [{keys: {publicKeys: "${key('BBBB')}"}}]}]}`;
    const {mutate, images: source} = setup([policyOf('p', images(two))]);
    await mutate(requestOf({object: pod('reg.io/app:v1')}));
    expect(source.calls).toEqual(['signature reg.io/app:v1 AAAA', `signature reg.io/app@${d(1)} BBBB`]);
  });

  it('shares its questions with others, and several are asked at one time', async () => {
    const {mutate, images: source} = setup([policyOf('p', images(signed())), policyOf('q', images(signed()))], {
      tables: {...tables, later: true},
    });
    const {results} = await mutate(requestOf({object: pod('reg.io/app:v1', 'reg.io/side:v1', 'reg.io/app:v1')}));
    expect(told(results).map(text => text.slice(0, 7))).toEqual(['r pass:', 'r pass:']);
    expect(source.most()).toBe(2);
    expect(source.calls.filter(call => call.includes(':v1'))).toHaveLength(2);
  });
});

describe('an image that nobody vouches for', () => {
  const rows: ReadonlyArray<readonly [string, string, string, string]> = [
    [
      'is not signed',
      'reg.io/loose:v1',
      signed(),
      'r fail: failed to verify image reg.io/loose:v1: .attestors[0].entries[0].keys: no matching signatures',
    ],
    [
      'is signed by another key',
      'reg.io/side:v1',
      signed('BBBB'),
      'r fail: failed to verify image reg.io/side:v1: .attestors[0].entries[0].keys: no matching signatures',
    ],
    [
      'does not exist',
      'reg.io/none:v1',
      signed(),
      'r fail: failed to verify image reg.io/none:v1: .attestors[0].entries[0].keys: reg.io/none:v1: MANIFEST_UNKNOWN',
    ],
    [
      'lies where nobody answers',
      'down.io/app:v1',
      signed().replace('reg.io', 'down.io'),
      'r error: failed to verify image down.io/app:v1: .attestors[0].entries[0].keys: dial tcp down.io: connection refused',
    ],
    [
      'has a text that is none',
      'reg.io/app:v1:v2',
      signed(),
      'r error: bad image: "reg.io/app:v1:v2" at /spec/containers/0/image is no image reference',
    ],
    [
      'hides behind letters that look the same',
      'rеg.io/app:v1',
      signed(),
      'r error: bad image: "rеg.io/app:v1" at /spec/containers/0/image is no image reference',
    ],
  ];
  for (const [title, image, entry, want] of rows) {
    it(`${title}: ${want.slice(2, 7).trim()}`, async () => {
      const {mutate, engine} = setup([policyOf('p', images(entry))]);
      const request = requestOf({object: pod(image)});
      const {results, object} = await mutate(request);
      expect(told(results)).toEqual([want]);
      expect(imageAt(object)).toBe(image);
      const validated = await engine.validate({...request, object}, {bucket: 'enforce', deadline});
      expect(told(validated.results)[0]).toMatch(/^r (fail|error): /);
    });
  }

  it('of another kind or name is nothing to the rule', async () => {
    const {mutate, engine} = setup([policyOf('p', images(signed()))]);
    const request = requestOf({object: pod('other.io/app:v1', ' ')});
    expect(await mutate(request)).toMatchObject({results: [], patch: []});
    expect((await engine.validate(request, {bucket: 'enforce', deadline})).results).toEqual([]);
  });

  it('is told beside one that could not be asked for: the action and the failure policy both have their say', async () => {
    const {mutate} = setup([policyOf('p', images(signed().replace('"reg.io/*"', '"*"')))]);
    const {results} = await mutate(requestOf({object: pod('reg.io/app:v1', 'reg.io/loose:v1', 'down.io/x:v1')}));
    expect(told(results)).toEqual([
      'r error: failed to verify image down.io/x:v1: .attestors[0].entries[0].keys: dial tcp down.io: connection refused',
      'r fail: failed to verify image reg.io/loose:v1: .attestors[0].entries[0].keys: no matching signatures',
    ]);
  });

  it('fails, without a registry to ask: never passes', async () => {
    const {engine} = engineOf([policyOf('p', images(signed()))], {loader: recordingLoader()});
    const {results} = await engine.verifyAndPatchImages(requestOf({object: pod('reg.io/app:v1')}), {deadline});
    expect(told(results)).toEqual([
      'r error: failed to verify image reg.io/app:v1: .attestors[0].entries[0].keys: no registry is asked here',
    ]);
  });
});

describe('sets of attestors', () => {
  const set = (count: string, ...names: string[]) =>
    `{imageReferences: ["*"], attestors: [{${count} entries: [${names.map(name => `{keys: {publicKeys: "${key(name)}"}}`).join(', ')}]}]}`;
  const rows: ReadonlyArray<readonly [string, string, string, 'pass' | 'fail' | 'error']> = [
    ['all must have signed', set('', 'AAAA', 'BBBB'), 'reg.io/app:v1', 'pass'],
    ['all must have signed, one has not', set('', 'AAAA', 'BBBB'), 'reg.io/side:v1', 'fail'],
    ['one is enough', set('count: 1,', 'CCCC', 'AAAA'), 'reg.io/side:v1', 'pass'],
    ['two of three', set('count: 2,', 'CCCC', 'AAAA', 'BBBB'), 'reg.io/app:v1', 'pass'],
    ['two of three, one has', set('count: 2,', 'CCCC', 'AAAA', 'BBBB'), 'reg.io/side:v1', 'fail'],
    ['nobody answers', set('count: 1,', 'CCCC', 'AAAA'), 'down.io/side:v1', 'error'],
    [
      'a text of two keys is two entries',
      `{imageReferences: ["*"], attestors: [{count: 1, entries: [{keys: {publicKeys: "${key('CCCC')}${key('AAAA')}"}}]}]}`,
      'reg.io/side:v1',
      'pass',
    ],
    [
      'a text of two keys, both must have signed',
      `{imageReferences: ["*"], attestors: [{entries: [{keys: {publicKeys: "${key('CCCC')}${key('AAAA')}"}}]}]}`,
      'reg.io/side:v1',
      'fail',
    ],
    [
      'a set in a set',
      `{imageReferences: ["*"], attestors: [{entries: [{attestor: {count: 1, entries: [{keys: {publicKeys: "${key('CCCC')}"}}, {keys: {publicKeys: "${key('AAAA')}"}}]}}]}]}`,
      'reg.io/side:v1',
      'pass',
    ],
    ['the older form', `{image: "*", key: "${key('AAAA').trim()} "}`, 'reg.io/side:v1', 'pass'],
    ['the older form, not signed', `{image: "*", key: "${key('BBBB')}"}`, 'reg.io/side:v1', 'fail'],
  ];
  for (const [title, entry, image, want] of rows) {
    it(`${title}: ${want}`, async () => {
      const {mutate} = setup([policyOf('p', images(entry))]);
      const {results} = await mutate(requestOf({object: pod(image)}));
      expect(results[0]?.rules[0]?.status).toBe(want);
    });
  }
});

describe('an image is found by every name it has', () => {
  const rows: ReadonlyArray<readonly [string, string, boolean]> = [
    ['reg.io/app:*', 'reg.io/app:v1', true],
    ['reg.io/app:*', `reg.io/app:v1@${d(1)}`, true],
    ['reg.io/app@*', `reg.io/app:v1@${d(1)}`, true],
    ['reg.io/app:*', `reg.io/app@${d(1)}`, false],
    ['reg.io/*', 'REG.IO/app:v1', true],
    ['reg.io/*', 'reg.io:443/app:v1', true],
    ['reg.io/*', 'reg.io:5000/app:v1', false],
    ['docker.io/nginx*', 'nginx', true],
    ['docker.io/nginx*', 'docker.io/library/nginx', true],
    ['docker.io/nginx*', 'index.docker.io/library/nginx:latest', true],
    ['docker.io/library/nginx*', 'nginx', true],
    ['docker.io/nginx*', 'docker.io/other/nginx', false],
    ['nginx*', 'nginx', false],
    ['*', 'localhost/x', true],
  ];
  for (const [pattern, image, matches] of rows) {
    it(`${pattern} is ${matches ? '' : 'not '}for ${image}`, async () => {
      const {mutate} = setup([
        policyOf(
          'p',
          images(`{imageReferences: ["${pattern}"], attestors: [{entries: [{keys: {publicKeys: "${key('AAAA')}"}}]}]}`),
        ),
      ]);
      const {results} = await mutate(requestOf({object: pod(image)}));
      expect(results.length > 0).toBe(matches);
    });
  }
});

describe('attestations', () => {
  const attested = (more: string, rest = '') => `{imageReferences: ["*"], attestations: [${more}], ${rest}}`;
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    [
      'of a type are there',
      attested('{type: "https://slsa.dev/provenance/v1"}'),
      'r pass: verified image attestations for reg.io/app:v1',
    ],
    [
      'by their older name',
      attested('{predicateType: "https://slsa.dev/provenance/v1"}'),
      'r pass: verified image attestations for reg.io/app:v1',
    ],
    [
      'of another type are missing',
      attested('{type: none}'),
      'r fail: failed to verify image reg.io/app:v1: .attestations[0]: attestations not found for predicate type none',
    ],
    [
      'say what is asked for',
      attested(
        '{type: "https://slsa.dev/provenance/v1", conditions: [{all: [{key: "{{ builder.id }}", operator: Equals, value: "https://ci"}]}]}',
      ),
      'r pass: verified image attestations for reg.io/app:v1',
    ],
    [
      'say something else',
      attested(
        '{type: "https://slsa.dev/provenance/v1", conditions: [{all: [{key: "{{ builder.id }}", operator: Equals, value: "https://elsewhere", message: "wrong builder"}]}]}',
      ),
      'r fail: failed to verify image reg.io/app:v1: .attestations[0]: attestation checks failed for reg.io/app:v1 and predicate https://slsa.dev/provenance/v1: wrong builder',
    ],
    [
      'say nothing of it',
      attested(
        '{type: "https://slsa.dev/provenance/v1", conditions: [{all: [{key: "{{ nowhere }}", operator: Equals, value: x}]}]}',
      ),
      'r fail: failed to verify image reg.io/app:v1: .attestations[0]: failed to check attestations: ',
    ],
    [
      'do not stand in for the request',
      attested(
        '{type: "https://slsa.dev/provenance/v1", conditions: [{all: [{key: "{{ request.operation }}", operator: Equals, value: CREATE}]}]}',
      ),
      'r pass: verified image attestations for reg.io/app:v1',
    ],
    [
      'must all hold',
      attested('{type: scan, conditions: [{all: [{key: "{{ findings | length(@) }}", operator: Equals, value: 0}]}]}'),
      'r fail: failed to verify image reg.io/app:v1: .attestations[0]: attestation checks failed',
    ],
    [
      'signed by whom the policy names',
      attested(`{type: scan, attestors: [{entries: [{keys: {publicKeys: "${key('AAAA')}"}}]}]}`),
      'r pass: verified image attestations for reg.io/app:v1',
    ],
    [
      'signed by somebody else',
      attested(`{type: scan, attestors: [{count: 1, entries: [{keys: {publicKeys: "${key('CCCC')}"}}]}]}`),
      'r fail: image attestations verification failed, verifiedCount: 0, requiredCount: 1, error: .attestations[0].attestors[0].entries[0].keys: no matching signatures',
    ],
    [
      'are compared with each other',
      attested(
        '{type: scan, name: scan}, {type: vex, name: vex}',
        'validate: {message: "unknown finding", deny: {conditions: {any: [{key: "{{ scan.findings[*].id }}", operator: AnyNotIn, value: "{{ vex.known }}"}]}}}',
      ),
      'r pass: verified image attestations for reg.io/app:v1',
    ],
    [
      'are denied for what they say',
      attested(
        '{type: scan, name: scan}',
        'validate: {message: "findings in {{ image.name }}", deny: {conditions: {any: [{key: "{{ scan.findings[*].id }}", operator: AnyIn, value: [a]}]}}}',
      ),
      'r fail: findings in app',
    ],
  ];
  for (const [title, entry, want] of rows) {
    it(title, async () => {
      const {mutate} = setup([policyOf('p', images(entry))]);
      const {results} = await mutate(requestOf({object: pod('reg.io/app:v1')}));
      expect(told(results)[0]).toContain(want);
    });
  }
});

describe('a rule that only wants digests', () => {
  it('puts them in and records nothing', async () => {
    const {mutate} = setup([policyOf('p', images('{imageReferences: ["*"], required: false}'))]);
    const {results, object} = await mutate(requestOf({object: pod('nginx', `reg.io/app@${d(1)}`)}));
    expect(told(results)).toEqual(['r pass: mutated image digest']);
    expect(imageAt(object)).toBe(`docker.io/nginx:latest@${d(4)}`);
    expect(annotation(object, plain)).toBeUndefined();
  });

  it('is an error where the registry does not know', async () => {
    const {mutate} = setup([policyOf('p', images('{imageReferences: ["*"], required: false}'))]);
    const {results} = await mutate(requestOf({object: pod('down.io/x:v1')}));
    expect(told(results)).toEqual(['r error: failed to update digest: dial tcp down.io: connection refused']);
  });

  it('refuses tags where it may not change them', async () => {
    const {mutate, engine} = setup([
      policyOf('p', images('{imageReferences: ["*"], required: false, mutateDigest: false}')),
    ]);
    const request = requestOf({object: pod('nginx')});
    expect(await mutate(request)).toMatchObject({results: [], patch: []});
    expect(told((await engine.validate(request, {bucket: 'enforce', deadline})).results)).toEqual([
      'r fail: missing digest for docker.io/nginx:latest',
    ]);
  });

  it('says nothing of what goes away', async () => {
    const {mutate, engine} = setup([
      policyOf('p', images('{imageReferences: ["*"], required: false, mutateDigest: false}')),
    ]);
    const request = requestOf({oldObject: pod('nginx'), operation: 'DELETE'});
    expect((await mutate(request)).results).toEqual([]);
    expect((await engine.validate(request, {bucket: 'enforce', deadline})).results).toEqual([]);
  });
});

/** A policy of the year before, and an object that was admitted under it. */
const standing = (policy: JsonObject): JsonObject => ({...policy, metadata: {...(policy['metadata'] as JsonObject), creationTimestamp: '2025-01-01T00:00:00Z'}});
const createdAt = (object: JsonObject, creationTimestamp: string): JsonObject => ({...object, metadata: {...(object['metadata'] as JsonObject), creationTimestamp}});

describe('the record', () => {
  const forged = {
    [plain]: '{"reg.io/loose:v1":"pass"}',
    [scoped]:
      '{"version":1,"policies":{"/p":{"r":{"reg.io/loose:v1":"pass"}},"/q":{"r":{"reg.io/loose:v1":"pass"}},"/gone":{"r":{"x":"pass"}}}}',
  };

  it('is never what the requester says', async () => {
    const {mutate, engine} = setup([
      policyOf('p', images(signed('AAAA', 'mutateDigest: false, verifyDigest: false,'))),
    ]);
    const request = requestOf({object: podWith(['reg.io/loose:v1'], {annotations: {...forged, other: 'stays'}})});
    const {object} = await mutate(request);
    expect(annotation(object, plain)).toBe('{"reg.io/loose:v1":"fail"}');
    expect(annotation(object, scoped)).toBe('{"version":1,"policies":{"/p":{"r":{"reg.io/loose:v1":"fail"}}}}');
    expect(annotation(object, 'other')).toBe('stays');
    const {results} = await engine.validate({...request, object}, {bucket: 'enforce', deadline});
    expect(told(results)).toEqual(['r fail: unverified image reg.io/loose:v1']);
  });

  it('goes where nothing was verified', async () => {
    const {mutate} = setup([policyOf('p', images(signed()))]);
    const {object} = await mutate(requestOf({object: podWith(['other.io/x:v1'], {annotations: forged})}));
    expect(ownPath(object, 'metadata', 'annotations')).toEqual({});
  });

  it('holds what both calls of one request found', async () => {
    const fail = policyOf('p', images(signed('AAAA', 'mutateDigest: false, verifyDigest: false,')));
    const ignore = policyOf('q', images(signed('AAAA', 'mutateDigest: false, verifyDigest: false,')), {
      spec: '{webhookConfiguration: {failurePolicy: Ignore}}',
    });
    const {mutate} = setup([fail, ignore]);
    const request = requestOf({object: podWith(['reg.io/app:v1'], {annotations: forged})});
    const first = await mutate(request, {failurePolicy: 'Fail'});
    const second = await mutate({...request, object: first.object}, {failurePolicy: 'Ignore'});
    expect(JSON.parse(String(annotation(second.object, scoped)))).toEqual({
      version: 1,
      policies: {'/p': {r: {'reg.io/app:v1': 'pass'}}, '/q': {r: {'reg.io/app:v1': 'pass'}}},
    });
  });

  it('spares no image of an object that is older than the policy: its author may have written the record', async () => {
    const {mutate, images: source} = setup([standing(policyOf('p', images(signed())))]);
    const before = createdAt((await mutate(requestOf({object: pod('reg.io/app:v1')}))).object!, '2024-12-31T23:59:59Z');
    source.calls.length = 0;
    await mutate(requestOf({oldObject: before, object: before}));
    expect(source.calls).toHaveLength(1);
  });

  it('spares images that have not changed', async () => {
    const {mutate, images: source} = setup([standing(policyOf('p', images(signed())))]);
    const before = createdAt((await mutate(requestOf({object: pod('reg.io/app:v1')}))).object!, '2026-01-01T00:00:00Z');
    source.calls.length = 0;
    const after = await mutate(
      requestOf({
        oldObject: before,
        object: {...before, metadata: {...(before['metadata'] as JsonObject), labels: {a: 'b'}}},
      }),
    );
    expect(told(after.results)).toEqual([`r pass: image reg.io/app@${d(1)} has not changed since it was verified`]);
    expect(source.calls).toEqual([]);
    expect(after.patch).toEqual([]);
  });

  it('spares no image that is new in the object, nor one that failed', async () => {
    const {mutate, images: source} = setup([
      policyOf('p', images(signed('AAAA', 'mutateDigest: false, verifyDigest: false,'))),
    ]);
    const before = (await mutate(requestOf({object: pod('reg.io/loose:v1')}))).object!;
    source.calls.length = 0;
    await mutate(requestOf({oldObject: before, object: podWith(['reg.io/loose:v1', 'reg.io/app:v1'], {})}));
    expect(source.calls).toEqual(['signature reg.io/loose:v1 AAAA', 'signature reg.io/app:v1 AAAA']);
  });

  it('is read only where it is one', async () => {
    for (const text of [
      '',
      '[]',
      '{"version":2,"policies":{"/p":{"r":{"reg.io/app:v1":"pass"}}}}',
      '{"version":1,"policies":{"/p":{"r":{"reg.io/app:v1":"PASS"}}}}',
      '{"__proto__":1}',
      '{"version":1,"policies":[]}',
    ]) {
      const {engine} = setup([policyOf('p', images(signed('AAAA', 'verifyDigest: false,')))]);
      const {results} = await engine.validate(
        requestOf({object: podWith(['reg.io/app:v1'], {annotations: {[scoped]: text}})}),
        {bucket: 'enforce', deadline},
      );
      expect(told(results)).toEqual(['r fail: unverified image reg.io/app:v1']);
    }
  });
});

describe('images that are left out', () => {
  const entry = signed('AAAA', 'skipImageReferences: ["reg.io/loose*"],');

  it('are skipped aloud, and recorded', async () => {
    const {mutate, engine} = setup([policyOf('p', images(entry))]);
    const request = requestOf({object: pod('reg.io/loose:v1')});
    const {results, object} = await mutate(request);
    expect(results[0]?.rules).toMatchObject([
      {status: 'skip', warns: true, message: 'skipping image reference image reg.io/loose:v1, policy p ruleName r'},
    ]);
    expect(annotation(object, plain)).toBe('{"reg.io/loose:v1":"skip"}');
    const validated = await engine.validate({...request, object}, {bucket: 'enforce', deadline});
    expect(told(validated.results)).toEqual(['r skip: image skipped, skipped images: reg.io/loose:v1']);
  });

  it('do not free others', async () => {
    const {mutate, engine} = setup([policyOf('p', images(entry))]);
    const request = requestOf({object: pod('reg.io/loose:v1', 'reg.io/app:v1')});
    const {results, object} = await mutate(request);
    expect(told(results)).toEqual(['r pass: verified image signatures for reg.io/app:v1']);
    const validated = await engine.validate({...request, object}, {bucket: 'enforce', deadline});
    expect(told(validated.results)).toEqual(['r pass: image verified, skipped images: reg.io/loose:v1']);
  });
});

describe('where images stand', () => {
  it('in templates of controllers', async () => {
    const {mutate} = setup([policyOf('p', images(signed()))]);
    const template = {
      metadata: {},
      spec: {containers: [{name: 'a', image: 'reg.io/app:v1'}], initContainers: [{name: 'i', image: 'reg.io/side:v1'}]},
    };
    const deployment: JsonObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name: 'd', namespace: 'team'},
      spec: {template},
    };
    const {results, patch} = await mutate(
      requestOf({object: deployment, kind: {group: 'apps', version: 'v1', kind: 'Deployment'}}),
    );
    expect(told(results)).toEqual([
      'autogen-r pass: verified image signatures for reg.io/app:v1; verified image signatures for reg.io/side:v1',
    ]);
    expect(patch.map(({path}) => path)).toEqual([
      '/metadata/annotations',
      '/spec/template/spec/containers/0/image',
      '/spec/template/spec/initContainers/0/image',
    ]);
  });

  const task = (steps: Json): JsonObject => ({
    apiVersion: 'tekton.dev/v1',
    kind: 'Task',
    metadata: {name: 't', namespace: 'team'},
    spec: {steps},
  });
  const kind = {group: 'tekton.dev', version: 'v1', kind: 'Task'};
  const tasks = (extractor: string, entry = signed(), more = '') =>
    policyOf(
      'p',
      `[{name: r, match: {any: [{resources: {kinds: [tekton.dev/v1/Task]}}]}, imageExtractors: {Task: [${extractor}]}, ${more} verifyImages: [${entry}]}]`,
    );

  it('where extractors say', async () => {
    const {mutate} = setup([
      tasks(
        '{path: /spec/steps/*, value: image, key: name, name: steps}',
        signed(),
        'preconditions: {all: [{key: "{{ images.steps.build.tag }}", operator: Equals, value: v1}]},',
      ),
    ]);
    const {results, patch} = await mutate(
      requestOf({object: task([{name: 'build', image: 'reg.io/app:v1'}, {name: 'none'}]), kind}),
    );
    expect(told(results)).toEqual(['r pass: verified image signatures for reg.io/app:v1']);
    expect(patch.map(({path}) => path)).toContain('/spec/steps/0/image');
  });

  it('with the last segment for the value, in maps too', async () => {
    const {mutate} = setup([tasks('{path: /spec/steps/*/image}')]);
    const {patch} = await mutate(requestOf({object: task({'a/b': {image: 'reg.io/app:v1'}}), kind}));
    expect(patch.map(({path}) => path)).toContain('/spec/steps/a~1b/image');
  });

  it('after a query over the value', async () => {
    const entry = signed('AAAA', 'mutateDigest: false, verifyDigest: false,');
    const {mutate} = setup([tasks('{path: /spec/steps/*/image, jmesPath: "trim_prefix(@, \'docker://\')"}', entry)]);
    const {object} = await mutate(requestOf({object: task([{image: 'docker://reg.io/app:v1'}]), kind}));
    expect(annotation(object, plain)).toBe('{"reg.io/app:v1":"pass"}');
  });

  it('and in another shape is an error', async () => {
    const {mutate} = setup([tasks('{path: /spec/steps/*, value: image}')]);
    const {results} = await mutate(requestOf({object: task('none'), kind}));
    expect(told(results)[0]).toContain('r error: imageExtractors path /spec/steps/*');
  });
});

describe('credentials', () => {
  const entry = signed(
    'AAAA',
    'imageRegistryCredentials: {secrets: [own, other/theirs], providers: [amazon], allowInsecureRegistry: true},',
  );
  const object: JsonObject = {
    ...pod('reg.io/app:v1'),
    spec: {imagePullSecrets: [{name: 'pull'}], containers: [{name: 'c', image: 'reg.io/app:v1'}]},
  };

  it('are those of the policy and of the Pod', async () => {
    const {mutate, images: source} = setup([policyOf('p', images(entry))]);
    await mutate(requestOf({object}));
    expect(source.accesses[0]).toEqual({
      secrets: [
        {namespace: 'kyverno', name: 'own'},
        {namespace: 'other', name: 'theirs'},
        {namespace: 'team', name: 'pull'},
      ],
      providers: ['amazon'],
      allowInsecureRegistry: true,
    });
  });

  it('of another namespace are none of a Policy', async () => {
    const {mutate, images: source} = setup([policyOf('p', images(entry), {namespace: 'team'})]);
    const {results} = await mutate(requestOf({object}));
    expect(told(results)).toEqual(['r error: a policy of namespace team may not read a Secret of namespace other']);
    expect(source.calls).toEqual([]);
  });

  it('of its own namespace are meant by a bare name', async () => {
    const own = signed('AAAA', 'imageRegistryCredentials: {secrets: [own]},');
    const {mutate, images: source} = setup([policyOf('p', images(own), {namespace: 'team'})]);
    const {object: patched} = await mutate(requestOf({object}));
    expect(source.accesses[0]?.secrets[0]).toEqual({namespace: 'team', name: 'own'});
    expect(JSON.parse(String(annotation(patched, scoped)))).toMatchObject({policies: {'team/p': {r: {}}}});
  });
});

describe('variables', () => {
  it('name the key', async () => {
    const entry = '{imageReferences: ["reg.io/*"], attestors: [{entries: [{keys: {publicKeys: "{{ keys }}"}}]}]}';
    const more = `context: [{name: keys, variable: {value: "${key('CCCC')}${key('AAAA')}"}}],`;
    const {mutate} = setup([policyOf('p', images(entry.replace('[{entries', '[{count: 1, entries'), more))]);
    expect(told((await mutate(requestOf({object: pod('reg.io/app:v1')}))).results)).toEqual([
      'r pass: verified image signatures for reg.io/app:v1',
    ]);
  });

  it('without a value are an error', async () => {
    const entry =
      '{imageReferences: ["reg.io/*"], attestors: [{entries: [{keys: {publicKeys: "{{ request.object.metadata.annotations.nowhere }}"}}]}]}';
    const {mutate} = setup([policyOf('p', images(entry))]);
    expect(told((await mutate(requestOf({object: pod('reg.io/app:v1')}))).results)[0]).toContain(
      'r error: failed to substitute variables: ',
    );
  });

  it('that come to no key are an error', async () => {
    const entry =
      '{imageReferences: ["reg.io/*"], attestors: [{entries: [{keys: {publicKeys: "{{ request.object.metadata.name }}"}}]}]}';
    const {mutate} = setup([policyOf('p', images(entry))]);
    expect(told((await mutate(requestOf({object: pod('reg.io/app:v1')}))).results)[0]).toContain(
      'holds neither PEM public keys nor',
    );
  });
});

describe('the rest of a rule', () => {
  it('skips by its preconditions', async () => {
    const {mutate} = setup([
      policyOf('p', images(signed(), 'preconditions: {all: [{key: a, operator: Equals, value: b}]},')),
    ]);
    expect(told((await mutate(requestOf({object: pod('reg.io/loose:v1')}))).results)).toEqual([
      'r skip: preconditions not met',
    ]);
  });

  it('skips by an exception, in both phases', async () => {
    const exception: JsonObject = {
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      metadata: {name: 'e', namespace: 'team'},
      spec: {
        match: {any: [{resources: {kinds: ['Pod']}}]},
        conditions: {
          all: [{key: '{{ images.containers.*.reference }}', operator: 'AllIn', value: ['reg.io/loose:v1']}],
        },
        exceptions: [{policyName: 'p', ruleNames: ['r']}],
      },
    };
    const {mutate, engine} = setup([policyOf('p', images(signed())), exception]);
    const freed = requestOf({object: pod('reg.io/loose:v1')});
    const held = requestOf({object: pod('reg.io/other:v1')});
    expect(told((await mutate(freed)).results)).toEqual(['r skip: rule is skipped due to policy exceptionsteam/e']);
    expect(told((await engine.validate(freed, {bucket: 'enforce', deadline})).results)).toEqual([
      'r skip: rule is skipped due to policy exceptionsteam/e',
    ]);
    expect(told((await mutate(held)).results)[0]).toContain('r fail');
  });

  it('has the failure action of its entries, else of the policy', async () => {
    const audited = signed('AAAA', 'failureAction: Audit, mutateDigest: false,');
    const overridden =
      '{validationFailureAction: Enforce, validationFailureActionOverrides: [{action: Audit, namespaces: [team]}]}';
    for (const [entry, spec, want] of [
      [signed(), '{}', 'Enforce'],
      [audited, '{}', 'Audit'],
      [`${audited}, ${signed('AAAA', 'failureAction: Enforce,')}`, '{}', 'Enforce'],
      [signed(), overridden, 'Audit'],
    ] as const) {
      const {mutate} = setup([policyOf('p', images(entry), {spec})]);
      expect((await mutate(requestOf({object: pod('reg.io/loose:v1')}))).results[0]?.rules[0]?.action).toBe(want);
    }
  });

  it('is looked at within the request though it only audits', async () => {
    const {engine} = setup([policyOf('p', images(signed('AAAA', 'failureAction: Audit, mutateDigest: false,')))]);
    const request = requestOf({object: pod('reg.io/loose:v1')});
    for (const [bucket, count] of [
      ['enforce', 1],
      ['audit', 0],
      ['audit-warn', 0],
      ['all', 1],
    ] as const) {
      expect((await engine.validate(request, {bucket, deadline})).results).toHaveLength(count);
    }
  });

  it('asks anew for ephemeral containers, whose Pod takes no record', async () => {
    const {engine} = setup([policyOf('p', images(signed()))]);
    const debug = (image: string) => ({
      ...pod(`reg.io/app@${d(1)}`),
      spec: {containers: [], ephemeralContainers: [{name: 'd', image}]},
    });
    const review = (image: string) =>
      engine.validate(requestOf({object: debug(image), oldObject: pod(), subResource: 'ephemeralcontainers'}), {
        bucket: 'enforce',
        deadline,
      });
    expect(told((await review(`reg.io/side@${d(2)}`)).results)).toEqual(['r pass: image verified']);
    expect(told((await review(`reg.io/loose@${d(3)}`)).results)[0]).toContain('r fail: failed to verify image');
  });
});

describe('background checks', () => {
  const background = {spec: '{background: true}'};
  const scan = async (
    source: RecordingImages | undefined,
    policy: JsonObject,
    object: JsonObject,
    fetchImages: boolean,
  ) => {
    const {engine} = engineOf([policy], {loader: recordingLoader(source === undefined ? {} : {imageSource: source})});
    return told(
      (await engine.applyBackgroundChecks(requestOf({object, user: null}), {bucket: 'all', fetchImages, deadline}))
        .results,
    );
  };
  const recorded = {[scoped]: '{"version":1,"policies":{"/p":{"r":{"reg.io/loose:v1":"pass"}}}}'};

  it('prove images anew where they may', async () => {
    const source = recordingImages(tables);
    const found = await scan(
      source,
      policyOf('p', images(signed()), background),
      podWith(['reg.io/loose:v1'], {annotations: recorded}),
      true,
    );
    expect(found).toEqual([
      'r fail: failed to verify image reg.io/loose:v1: .attestors[0].entries[0].keys: no matching signatures',
    ]);
    expect(source.options[0]?.cacheOnly).toBeUndefined();
  });

  it('go by what is known else', async () => {
    const source = recordingImages(tables);
    const policy = standing(policyOf('p', images(signed()), background));
    const admitted = podWith(['reg.io/loose:v1'], {annotations: recorded, creationTimestamp: '2026-01-01T00:00:00Z'});
    expect(await scan(source, policy, admitted, false)).toEqual(['r pass: image reg.io/loose:v1 has not changed since it was verified']);
    expect(await scan(source, policy, createdAt(admitted, '2024-01-01T00:00:00Z'), false)).not.toEqual([expect.stringMatching(/^r pass/)]);
    expect(await scan(source, policy, pod('reg.io/app:v1'), false)).toEqual([
      'r pass: verified image signatures for reg.io/app:v1',
    ]);
    expect(new Set(source.options.map(({cacheOnly}) => cacheOnly))).toEqual(new Set([true]));
  });

  it('change nothing and look for digests where nobody has to vouch', async () => {
    const policy = policyOf('p', images('{imageReferences: ["*"], mutateDigest: false, required: false}'), background);
    expect(await scan(undefined, policy, pod('nginx'), false)).toEqual([
      'r fail: missing digest for docker.io/nginx:latest',
    ]);
    expect(await scan(undefined, policy, pod(`nginx@${d(4)}`), false)).toEqual(['r pass: image verified']);
  });
});

describe('an explanation', () => {
  it('says which images an entry is for, and validates what was verified', async () => {
    const source = recordingImages(tables);
    const {cache} = engineOf([policyOf('p', images(signed('AAAA', 'skipImageReferences: ["reg.io/loose*"],')))]);
    const explanation = await explainPolicy({
      policy: cache.current.byKey('p')!,
      request: requestOf({object: pod('reg.io/app:v1', 'other.io/x:v1', 'reg.io/loose:v1')}),
      snapshot: cache.current,
      loader: recordingLoader({imageSource: source}),
      regex,
      resources: builtinResourceMap,
    });
    const [mutating, validating] = explanation.rules.filter(({rule}) => rule === 'r');
    expect(mutating?.check?.children?.map(({name, verdict, note}) => `${name} ${verdict} ${note}`)).toEqual([
      'reg.io/app:v1 yes by verifyImages[0]',
      'other.io/x:v1 no no entry is for it',
      'reg.io/loose:v1 skip by verifyImages[0]',
    ]);
    expect([mutating, validating].map(found => found?.results.map(({status}) => status))).toEqual([['pass'], ['pass']]);
    expect(imageAt(explanation.object as JsonObject)).toBe(`reg.io/app:v1@${d(1)}`);
  });
});
