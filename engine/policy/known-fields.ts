import type {ObjectShape, Shape} from './shape.js';

/** Every field of a classic policy in its current form, with its type. What users fill freely is `any`. */
const any: Shape = {type: 'any'};
const string: Shape = {type: 'string'};
const boolean: Shape = {type: 'boolean'};
const strings: Shape = {type: 'strings'};
const stringMap: Shape = {type: 'map', values: string};

function object(fields: ObjectShape['fields']): ObjectShape {
  return {type: 'object', fields};
}

function list(items: Shape): Shape {
  return {type: 'list', items};
}

function oneOf(...values: readonly string[]): Shape {
  return {type: 'string', values};
}

const timeout: Shape = {
  type: 'integer',
  min: 1,
  max: 30,
  message: 'the timeout value must be between 1 and 30 seconds',
};
const expressions = list(object({name: string, expression: string}));
const action = oneOf('Audit', 'Enforce');

export const labelSelectorShape = object({
  matchLabels: stringMap,
  matchExpressions: list(object({key: string, operator: string, values: strings})),
});

const overrides = list(object({action: string, namespaces: strings, namespaceSelector: labelSelectorShape}));

const resourcesShape = object({
  kinds: strings,
  name: string,
  names: strings,
  namespaces: strings,
  annotations: stringMap,
  selector: labelSelectorShape,
  namespaceSelector: labelSelectorShape,
  operations: list(oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
});

const filterFields = {
  resources: resourcesShape,
  roles: strings,
  clusterRoles: strings,
  subjects: list(object({kind: string, name: string, namespace: string, apiGroup: string})),
} as const;

/** `match` and `exclude`. */
export const matchShape = object({any: list(object(filterFields)), all: list(object(filterFields)), ...filterFields});

const keyValues = (value: Shape) => list(object({key: string, value}));

const registryCredentials = object({
  allowInsecureRegistry: boolean,
  providers: list(oneOf('default', 'amazon', 'azure', 'google', 'github')),
  secrets: strings,
});

const contextShape = list(
  object({
    name: string,
    configMap: object({name: string, namespace: string}),
    variable: object({value: any, jmesPath: string, default: any}),
    globalReference: object({name: string, jmesPath: string}),
    imageRegistry: object({reference: string, jmesPath: string, imageRegistryCredentials: registryCredentials}),
    apiCall: object({
      urlPath: string,
      method: oneOf('GET', 'POST'),
      data: keyValues(any),
      service: object({url: string, headers: keyValues(string), caBundle: string}),
      jmesPath: string,
      default: any,
    }),
  }),
);

const validateForeach: ObjectShape = object({
  list: string,
  elementScope: boolean,
  context: contextShape,
  preconditions: any,
  pattern: any,
  anyPattern: any,
  deny: object({conditions: any}),
  foreach: () => list(validateForeach),
});

export const podSecurityExclude = object({
  controlName: string,
  images: strings,
  restrictedField: string,
  values: strings,
});

const rekor = object({url: string, pubkey: string, ignoreTlog: boolean});
const ctlog = object({ignoreSCT: boolean, pubkey: string, tsaCertChain: string});
const secret = object({name: string, namespace: string});

/** Closed on every level: a part of a verifier that nobody reads would be a check that nobody makes. */
const attestorSet: ObjectShape = object({
  count: {type: 'integer', min: 1},
  entries: list(
    object({
      keys: object({publicKeys: string, secret, kms: string, signatureAlgorithm: string, rekor, ctlog}),
      certificates: object({cert: string, certChain: string, rekor, ctlog}),
      keyless: object({
        issuer: string,
        issuerRegExp: string,
        subject: string,
        subjectRegExp: string,
        roots: string,
        additionalExtensions: stringMap,
        rekor,
        ctlog,
      }),
      attestor: () => attestorSet,
      annotations: stringMap,
      repository: string,
      signatureAlgorithm: string,
    }),
  ),
});

const validateShape = object({
  failureAction: action,
  failureActionOverrides: overrides,
  allowExistingViolations: boolean,
  message: string,
  pattern: any,
  anyPattern: any,
  deny: object({conditions: any}),
  foreach: list(validateForeach),
  podSecurity: object({
    level: oneOf('privileged', 'baseline', 'restricted'),
    version: string,
    exclude: list(podSecurityExclude),
  }),
  cel: object({
    generate: boolean,
    expressions: list(object({expression: string, message: string, messageExpression: string, reason: string})),
    paramKind: object({apiVersion: string, kind: string}),
    paramRef: object({
      name: string,
      namespace: string,
      selector: labelSelectorShape,
      parameterNotFoundAction: oneOf('Allow', 'Deny'),
    }),
    auditAnnotations: list(object({key: string, valueExpression: string})),
    variables: expressions,
  }),
  manifests: object({
    attestors: list(attestorSet),
    annotationDomain: string,
    ignoreFields: list(
      object({
        objects: list(object({group: string, version: string, kind: string, name: string, namespace: string})),
        fields: strings,
      }),
    ),
    dryRun: object({enable: boolean, namespace: string}),
    repository: string,
  }),
  assert: any,
});

const mutateForeach: ObjectShape = object({
  list: string,
  order: oneOf('Ascending', 'Descending'),
  context: contextShape,
  preconditions: any,
  patchStrategicMerge: any,
  patchesJson6902: string,
  foreach: () => list(mutateForeach),
});

const mutateShape = object({
  mutateExistingOnPolicyUpdate: boolean,
  targets: list(
    object({
      apiVersion: string,
      kind: string,
      namespace: string,
      name: string,
      uid: string,
      selector: labelSelectorShape,
      context: contextShape,
      preconditions: any,
    }),
  ),
  patchStrategicMerge: any,
  patchesJson6902: string,
  foreach: list(mutateForeach),
});

const generatePattern = {
  apiVersion: string,
  kind: string,
  namespace: string,
  name: string,
  uid: string,
  data: any,
  clone: object({namespace: string, name: string}),
  cloneList: object({namespace: string, kinds: strings, selector: labelSelectorShape}),
} as const;

const generateShape = object({
  generateExisting: boolean,
  synchronize: boolean,
  orphanDownstreamOnPolicyDelete: boolean,
  ...generatePattern,
  foreach: list(object({list: string, context: contextShape, preconditions: any, ...generatePattern})),
});

const verifyImagesShape = list(
  object({
    failureAction: action,
    type: oneOf('Cosign', 'SigstoreBundle', 'Notary'),
    imageReferences: strings,
    skipImageReferences: strings,
    repository: string,
    cosignOCI11: boolean,
    mutateDigest: boolean,
    verifyDigest: boolean,
    required: boolean,
    useCache: boolean,
    attestors: list(attestorSet),
    attestations: list(
      object({name: string, type: string, predicateType: string, attestors: list(attestorSet), conditions: any}),
    ),
    validate: object({message: string, deny: object({conditions: any})}),
    imageRegistryCredentials: registryCredentials,
    image: string,
    key: string,
    roots: string,
    subject: string,
    issuer: string,
    annotations: stringMap,
    additionalExtensions: stringMap,
  }),
);

const cleanupShape = object({
  schedule: string,
  removeResources: list(
    object({apiVersion: string, kind: string, selector: labelSelectorShape, namespaces: strings, names: strings}),
  ),
});

export const ruleShape = object({
  name: string,
  match: matchShape,
  exclude: matchShape,
  context: contextShape,
  preconditions: any,
  celPreconditions: expressions,
  imageExtractors: {
    type: 'map',
    values: list(object({path: string, value: string, name: string, key: string, jmesPath: string})),
  },
  reportProperties: stringMap,
  skipBackgroundRequests: boolean,
  validate: validateShape,
  mutate: mutateShape,
  generate: generateShape,
  verifyImages: verifyImagesShape,
  cleanup: cleanupShape,
});

/** `spec` of ClusterPolicy and Policy; rules are read one by one. */
export const specShape = object({
  applyRules: oneOf('All', 'One'),
  admission: boolean,
  background: boolean,
  emitWarning: boolean,
  useServerSideApply: boolean,
  webhookConfiguration: object({
    failurePolicy: oneOf('Ignore', 'Fail'),
    timeoutSeconds: timeout,
    matchConditions: expressions,
  }),
  failurePolicy: oneOf('Ignore', 'Fail'),
  webhookTimeoutSeconds: timeout,
  schemaValidation: boolean,
  validationFailureAction: action,
  validationFailureActionOverrides: overrides,
  mutateExistingOnPolicyUpdate: boolean,
  generateExisting: boolean,
  generateExistingOnPolicyUpdate: boolean,
  rules: list(any),
});

export const policyShape = object({apiVersion: string, kind: string, metadata: any, spec: any, status: any});

/** `spec` of a CleanupPolicy. */
export const cleanupSpecShape = object({
  match: matchShape,
  exclude: matchShape,
  context: contextShape,
  conditions: any,
  schedule: string,
  deletionPropagationPolicy: oneOf('Foreground', 'Background', 'Orphan'),
});

/** `spec` of a PolicyException in its current form. */
export const exceptionShape = object({
  background: boolean,
  match: matchShape,
  conditions: any,
  exceptions: list(object({policyName: string, ruleNames: strings})),
  podSecurity: list(podSecurityExclude),
});

export const metadataShape: ObjectShape = {
  type: 'object',
  open: true,
  fields: {
    name: string,
    generateName: string,
    namespace: string,
    uid: string,
    resourceVersion: string,
    annotations: stringMap,
    labels: stringMap,
  },
};
