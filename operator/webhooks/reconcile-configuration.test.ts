import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {planStaticWebhooks} from './plan-static-webhooks.js';
import {configurationStep, handSetTimeouts} from './reconcile-configuration.js';
import {markOf, settledAnnotation, settledMark} from './settled.js';
import {renderConfiguration, type RenderOptions} from './render-configuration.js';
import type {ConfigurationPlan} from './types.js';

const options: RenderOptions = {
  service: {namespace: 'kyverno', name: 'kyverno-svc', port: 443},
  serverIP: '',
  caBundle: 'PEM',
  labels: {},
  annotations: {},
  namespaceSelector: undefined,
  objectSelector: undefined,
  owner: undefined,
};

const plan: ConfigurationPlan = {
  kind: 'ValidatingWebhookConfiguration',
  name: 'kyverno-resource-validating-webhook-cfg',
  entries: [
    {
      name: 'validate.kyverno.io',
      path: '/validate/fail',
      failurePolicy: 'Fail',
      rules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced'}],
      timeoutSeconds: 10,
      sideEffects: 'NoneOnDryRun',
      matchConditions: [],
    },
  ],
};

/** As the API server would give it back once it has been written twice. */
function stored(object: JsonObject): JsonObject {
  const copy = structuredClone(object) as {metadata: JsonObject} & JsonObject;
  copy.metadata['annotations'] = {...(copy.metadata['annotations'] as JsonObject), [settledAnnotation]: settledMark(copy['webhooks'])};
  copy.metadata['resourceVersion'] = '7';
  copy.metadata['uid'] = 'u';
  copy.metadata['generation'] = 2;
  copy.metadata['creationTimestamp'] = '2026-01-01T00:00:00Z';
  return copy;
}

function firstWebhook(object: JsonObject): JsonObject {
  return (object['webhooks'] as JsonObject[])[0] as JsonObject;
}

describe('configurationStep', () => {
  const wanted = renderConfiguration(plan, options);

  it('creates what is missing', () => {
    expect(configurationStep(wanted, undefined)).toEqual({action: 'create', object: wanted});
  });

  it('writes nothing when the live object says the same', () => {
    expect(configurationStep(wanted, stored(wanted))).toEqual({action: 'none'});
  });

  it('takes an omitted API default for the default', () => {
    const live = stored(wanted);
    delete firstWebhook(live)['matchPolicy'];
    delete firstWebhook(live)['timeoutSeconds'];
    expect(configurationStep(wanted, live).action).toBe('none');
  });

  const edits: ReadonlyArray<{name: string; edit: (live: JsonObject) => void}> = [
    {name: 'a foreign entry', edit: live => (live['webhooks'] as JsonObject[]).push({...firstWebhook(live), name: 'evil.example.com'})},
    {name: 'a foreign match condition', edit: live => void (firstWebhook(live)['matchConditions'] = [{name: 'x', expression: 'false'}])},
    {name: 'a widened selector', edit: live => void (firstWebhook(live)['namespaceSelector'] = {})},
    {name: 'another CA', edit: live => void (firstWebhook(live)['clientConfig'] = {service: {namespace: 'kyverno', name: 'kyverno-svc', path: '/validate/fail', port: 443}, caBundle: 'eA=='})},
    {name: 'a changed failure policy', edit: live => void (firstWebhook(live)['failurePolicy'] = 'Ignore')},
    {name: 'a lost label', edit: live => void ((live['metadata'] as JsonObject)['labels'] = {})},
    {name: 'an entry taken away', edit: live => void (live['webhooks'] = [])},
  ];
  for (const {name, edit} of edits) {
    it(`undoes ${name} by a whole PUT with the live version`, () => {
      const live = stored(wanted);
      edit(live);
      const step = configurationStep(wanted, live);
      expect(step.action).toBe('update');
      if (step.action !== 'update') return;
      expect((step.object['metadata'] as JsonObject)['resourceVersion']).toBe('7');
      expect(step.object['webhooks']).toEqual(wanted['webhooks']);
    });
  }

  it('writes webhooks a second time, with a mark and nothing else changed, and not a third', () => {
    const live = stored(wanted);
    delete ((live['metadata'] as JsonObject)['annotations'] as JsonObject)[settledAnnotation];
    const step = configurationStep(wanted, live);
    if (step.action !== 'settle') throw new Error(step.action);
    expect(step.object['webhooks']).toEqual(wanted['webhooks']);
    expect((step.object['metadata'] as JsonObject)['resourceVersion']).toBe('7');
    expect(markOf(step.object)).toBe(settledMark(wanted['webhooks']));
    expect(configurationStep(wanted, stored(step.object))).toEqual({action: 'none'});
  });

  it.each<[string, (live: JsonObject) => void, boolean]>([
    ['loses the mark when webhooks change', live => void (live['webhooks'] = []), false],
    ['keeps the mark when only labels change', live => void ((live['metadata'] as JsonObject)['labels'] = {}), true],
  ])('%s', (_name, edit, kept) => {
    const live = stored(wanted);
    edit(live);
    const step = configurationStep(wanted, live);
    expect(step.action === 'update' && markOf(step.object) !== undefined).toBe(kept);
  });

  it('keeps a valid timeout that somebody set by hand, over later reconciles too', () => {
    const live = stored(wanted);
    firstWebhook(live)['timeoutSeconds'] = 5;
    expect(handSetTimeouts(live)).toEqual(new Map([['validate.kyverno.io', 5]]));
    // For the API server these are new webhooks.
    expect(configurationStep(wanted, live)).toMatchObject({action: 'settle', object: {webhooks: live['webhooks']}});
    const wider = renderConfiguration({...plan, entries: plan.entries.map(entry => ({...entry, rules: []}))}, options);
    const step = configurationStep(wider, live);
    expect(step.action === 'update' && firstWebhook(step.object)['timeoutSeconds']).toBe(5);
  });

  it('takes a timeout for its own that it has written itself', () => {
    const live = stored(wanted);
    const longer = renderConfiguration({...plan, entries: plan.entries.map(entry => ({...entry, timeoutSeconds: 20}))}, options);
    const step = configurationStep(longer, live);
    expect(step.action === 'update' && firstWebhook(step.object)['timeoutSeconds']).toBe(20);
  });
});

describe('renderConfiguration', () => {
  it('never intercepts the own namespace, whatever the ConfigMap says', () => {
    const given = {matchLabels: {watched: 'yes'}};
    const webhook = firstWebhook(renderConfiguration(plan, {...options, namespaceSelector: given}));
    expect(webhook['namespaceSelector']).toEqual({
      matchLabels: {watched: 'yes'},
      matchExpressions: [{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kyverno']}],
    });
  });

  it('does not say it twice', () => {
    const own = {matchExpressions: [{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'kyverno']}]};
    expect(firstWebhook(renderConfiguration(plan, {...options, namespaceSelector: own}))['namespaceSelector']).toEqual(own);
  });

  it('calls a URL when the installation has no Service', () => {
    const webhook = firstWebhook(renderConfiguration(plan, {...options, serverIP: '127.0.0.1:9443'}));
    expect(webhook['clientConfig']).toMatchObject({url: 'https://127.0.0.1:9443/validate/fail'});
  });

  it('has every static configuration of the guide, the mutating ones empty', () => {
    const plans = planStaticWebhooks({defaultTimeout: 10});
    expect(plans.map(({name, entries}) => [name, entries.length])).toEqual([
      ['kyverno-webhook-cfg', 1],
      ['kyverno-policy-validating-webhook-cfg', 4],
      ['kyverno-mutating-webhook-cfg', 0],
      ['kyverno-policy-mutating-webhook-cfg', 0],
      ['kyverno-verify-mutating-webhook-cfg', 1],
    ]);
  });
});
