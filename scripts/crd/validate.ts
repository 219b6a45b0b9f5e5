import {freeConditions} from './any-all-conditions.js';
import {attestors} from './attestor.js';
import {context} from './context-entry.js';
import {failureAction, failureActionOverrides} from './failure-action.js';
import {labelSelector} from './selector.js';
import {as, atomic, flag, free, list, named, type SchemaNode, text, texts, word} from './schema.js';

const pattern: SchemaNode = free(
  'What the object must look like; maps may hold anchors such as (key) or =(key), strings operators and wildcards.',
);
const anyPattern: SchemaNode = list('Patterns; one match is enough.', free('A pattern.'));

export const deny: SchemaNode = named('Deny', 'Refuses when the conditions are true; without conditions always.', {
  conditions: freeConditions('Any/all object, or a list of which all must be true.'),
});

const foreach: SchemaNode = list(
  'Checks every element of a list.',
  named('ValidateForeach', 'A list and what its elements must look like.', {
    list: text('JMESPath that gives the list.'),
    elementScope: {
      ...flag('Whether the pattern is for the element (the default for objects) or for the whole object.'),
    },
    context,
    preconditions: freeConditions('Which elements are looked at.'),
    pattern,
    anyPattern,
    deny,
    foreach: free('A list inside of the element.', 'ValidateForeach[]'),
  }),
);

export const podSecurityExclusions: SchemaNode = list(
  'Controls that are not asked for.',
  named('PodSecurityExclusion', 'A control that is not asked for.', {
    controlName: text('Name of the control, for instance Capabilities.'),
    images: texts('Images that are freed, with wildcards; unset = the Pod level.'),
    restrictedField: text('Field that is freed; unset = the whole control.'),
    values: texts('Values that are allowed in that field.'),
  }),
);

const podSecurity: SchemaNode = named('PodSecurity', 'The Pod Security Standards.', {
  level: word('How strict.', ['privileged', 'baseline', 'restricted']),
  version: text('Kubernetes version, for instance v1.30, or latest.'),
  exclude: podSecurityExclusions,
});

const cel: SchemaNode = named('ClassicCel', 'CEL expressions.', {
  generate: flag('Offer the rule as a ValidatingAdmissionPolicy.'),
  expressions: list(
    'Expressions that must all be true.',
    named('CelValidation', 'An expression that must be true.', {
      expression: text('CEL that gives a bool.'),
      message: text('Said on failure.'),
      messageExpression: text('CEL that gives the text said on failure.'),
      reason: text('Reason code of the refusal.'),
    }),
  ),
  variables: list(
    'Named expressions, usable as variables.NAME further down.',
    atomic(named('CelVariable', 'A named expression.', {name: text('Name.'), expression: text('CEL.')})),
  ),
  auditAnnotations: list(
    'Notes for the audit log and reports.',
    named('CelAuditAnnotation', 'A note.', {key: text('Key.'), valueExpression: text('CEL that gives a string.')}),
  ),
  paramKind: atomic(
    named('ParamKind', 'Kind of the parameter object.', {
      apiVersion: text('API group and version.'),
      kind: text('Kind.'),
    }),
  ),
  paramRef: atomic(
    named('ParamReference', 'Which parameter objects.', {
      name: text('Name.'),
      namespace: text('Namespace.'),
      selector: as(labelSelector, 'Labels of the parameter objects.'),
      parameterNotFoundAction: word('When none is found.', ['Allow', 'Deny']),
    }),
  ),
});

const manifests: SchemaNode = named('Manifests', 'The object must be signed.', {
  attestors,
  annotationDomain: text('Prefix of the signature annotations.'),
  ignoreFields: list(
    'Fields that may differ from what was signed.',
    named('IgnoredFields', 'Fields of some objects.', {
      objects: list(
        'Objects.',
        named('IgnoredObject', 'Which objects, with wildcards.', {
          group: text('API group.'),
          version: text('API version.'),
          kind: text('Kind.'),
          namespace: text('Namespace.'),
          name: text('Name.'),
        }),
      ),
      fields: texts('Field paths.'),
    }),
  ),
  dryRun: named('ManifestDryRun', 'Let the API server fill in defaults before comparing.', {
    enable: flag('Turns it on.'),
    namespace: text('Namespace to try in.'),
  }),
  repository: text('Where the signatures are.'),
});

export const validate: SchemaNode = named('Validate', 'Checks the object.', {
  failureAction,
  failureActionOverrides,
  allowExistingViolations: flag('Let updates pass that leave an old violation as it was; true when unset.'),
  message: text('Said on failure, may hold variables.'),
  pattern,
  anyPattern,
  deny,
  foreach,
  podSecurity,
  cel,
  manifests,
  assert: free('Without effect; kept so that policies which have it still apply.'),
});
