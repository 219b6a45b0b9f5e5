import {requestData, requestMethod, serviceCall} from './context-entry.js';
import {age, type Definition} from './definition.js';
import {flag, int32, list, named, oneOf, type SchemaNode, text, time} from './schema.js';
import {conditions, observedGeneration} from './status-condition.js';

const spec: SchemaNode = oneOf(named(
  'GlobalContextEntrySpec',
  'Where the value comes from; exactly one of kubernetesResource and apiCall.',
  {
    kubernetesResource: named('KubernetesResource', 'All objects of a kind, kept up to date.', {
      group: text('API group; empty for the core group.'),
      version: text('API version.'),
      resource: text('Plural name of the kind.'),
      namespace: text('Only this namespace.'),
    }),
    apiCall: named('GlobalApiCall', 'Answer of a call, asked for again and again.', {
      urlPath: text('Path at the API server.'),
      method: requestMethod,
      data: requestData,
      service: serviceCall,
      refreshInterval: text('Time between calls, as a Go duration; 10m when unset.'),
      retryLimit: int32('Tries per call; 3 when unset.'),
    }),
    projections: list(
      'Parts of the value under names of their own.',
      named('Projection', 'A part of the value.', {name: text('Name.'), jmesPath: text('JMESPath over the value.')}),
    ),
  },
), 'kubernetesResource', 'apiCall');

const status: SchemaNode = named('GlobalContextEntryStatus', 'State of the value.', {
  observedGeneration,
  conditions,
  lastRefreshTime: time('When the value was last fetched.'),
  ready: flag('No longer written; see conditions.'),
});

export const globalContextEntry: Definition = {
  group: 'kyverno.io',
  kind: 'GlobalContextEntry',
  plural: 'globalcontextentries',
  scope: 'Cluster',
  shortNames: ['gctxentry'],
  categories: ['kyverno'],
  versions: [{name: 'v2'}, {name: 'v2beta1', storage: true}, {name: 'v2alpha1', deprecatedFor: 'v2'}],
  columns: [
    age,
    {name: 'REFRESH INTERVAL', type: 'string', jsonPath: '.spec.apiCall.refreshInterval'},
    {name: 'LAST REFRESH', type: 'date', jsonPath: '.status.lastRefreshTime'},
  ],
  description: 'A value that many policies share, fetched once.',
  properties: {spec, status},
  required: ['spec'],
};
