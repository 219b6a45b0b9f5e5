import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {loadClassicPolicy} from './load-policy.js';
import type {ClassicRule} from './model.js';
import {policyWith} from './testing/build.js';
import {testKinds} from './testing/kinds.js';

const rule = 'spec.rules[0]';
const noValidate = 'validate: null';

function load(policy: JsonObject) {
  return loadClassicPolicy(policy, {resources: testKinds});
}

interface Case {
  readonly title: string;
  readonly rule: string;
  readonly warnings: readonly string[];
  /** A part of the rule's model. */
  readonly reads: Record<string, unknown>;
}

const cases: readonly Case[] = [
  {
    title: 'Q1 match.resources without any or all is one filter, and nothing is said',
    rule: 'match: {resources: {kinds: [Pod]}}\nexclude: {resources: {namespaces: [a]}}',
    warnings: [],
    reads: {match: {mode: 'all', filters: [{kinds: ['Pod']}]}, exclude: {mode: 'all', filters: [{namespaces: ['a']}]}},
  },
  {
    title: 'Q3 match.operations is a criterion of the resources',
    rule: 'match: {resources: {kinds: [Pod]}, operations: [CREATE, UPDATE]}',
    warnings: [
      `compat: ${rule}.match.operations: read as ${rule}.match.resources.operations; all criteria of one block must hold together`,
    ],
    reads: {match: {filters: [{kinds: ['Pod'], operations: ['CREATE', 'UPDATE']}]}},
  },
  {
    title: 'Q3 operations in both places hold together',
    rule: 'match: {any: [{resources: {kinds: [Pod], operations: [CREATE, DELETE]}, operations: [create, UPDATE]}]}',
    warnings: [
      `compat: ${rule}.match.any[0].operations: read as ${rule}.match.any[0].resources.operations; all criteria of one block must hold together`,
      `compat: ${rule}.match.any[0].resources.operations[0]: read as CREATE`,
    ],
    reads: {match: {mode: 'any', filters: [{operations: ['CREATE']}]}},
  },
  {
    title: 'Q4 Q5 exclude.operations and exclude.resources.labels join the other criteria',
    rule: 'exclude: {resources: {namespaces: [a, b], labels: {skip: "true"}}, operations: [DELETE]}',
    warnings: [
      `compat: ${rule}.exclude.operations: read as ${rule}.exclude.resources.operations; all criteria of one block must hold together`,
      `compat: ${rule}.exclude.resources.labels: read as ${rule}.exclude.resources.selector.matchLabels`,
    ],
    reads: {
      exclude: {
        mode: 'all',
        filters: [{namespaces: ['a', 'b'], operations: ['DELETE'], selector: {matchLabels: {skip: 'true'}}}],
      },
    },
  },
  {
    title: 'Q6 match.resources.excludeResources is an exclusion',
    rule: 'match: {resources: {kinds: [Pod], excludeResources: {namespaces: [a]}}}',
    warnings: [
      `compat: ${rule}.match.resources.excludeResources: read as an exclusion of the rule (exclude.resources)`,
    ],
    reads: {match: {filters: [{kinds: ['Pod']}]}, exclude: {filters: [{namespaces: ['a']}]}},
  },
  {
    title: 'Q6 excludeResources beside an exclude: both exclude',
    rule: 'match: {resources: {kinds: [Pod], excludeResources: {namespaces: [a]}}}\nexclude: {resources: {names: [b]}}',
    warnings: [
      `compat: ${rule}.match.resources.excludeResources: read as an exclusion of the rule (exclude.resources)`,
    ],
    reads: {exclude: {mode: 'any', filters: [{names: ['b']}, {namespaces: ['a']}]}},
  },
  {
    title: 'Q7 validation is validate',
    rule: `${noValidate}\nvalidation: {message: m, pattern: {a: b}}`,
    warnings: [`compat: ${rule}.validation: read as validate`],
    reads: {action: {type: 'validate', message: 'm', check: {type: 'pattern', pattern: {a: 'b'}}}},
  },
  {
    title: 'Q7 mutation is mutate',
    rule: `${noValidate}\nmutation: {patchStrategicMerge: {a: b}}`,
    warnings: [`compat: ${rule}.mutation: read as mutate`],
    reads: {action: {type: 'mutate', patch: {type: 'strategicMerge', patch: {a: 'b'}}, targets: undefined}},
  },
  {
    title: 'Q8 failure actions in any spelling',
    rule: 'validate: {failureAction: ENFORCE, pattern: {}}',
    warnings: [`compat: ${rule}.validate.failureAction: read as Enforce`],
    reads: {action: {failureAction: 'Enforce'}},
  },
  {
    title: 'Q9 generate without apiVersion, a well-known kind',
    rule: `${noValidate}\ngenerate: {kind: NetworkPolicy, name: a, namespace: b, data: {spec: {}}}`,
    warnings: [`compat: ${rule}.generate: kind NetworkPolicy without apiVersion read as networking.k8s.io/v1`],
    reads: {action: {type: 'generate', raw: {apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy'}}},
  },
  {
    title: "Q9 generate without apiVersion, the cluster's preferred version",
    rule: `${noValidate}\ngenerate: {kind: Widget, name: a, namespace: b, data: {spec: {}}}`,
    warnings: [`compat: ${rule}.generate: kind Widget without apiVersion read as example.com/v1`],
    reads: {action: {raw: {apiVersion: 'example.com/v1'}}},
  },
  {
    title: 'Q9 generate without apiVersion, the one that the data names',
    rule: `${noValidate}\ngenerate: {kind: Widget, name: a, namespace: b, data: {apiVersion: example.com/v1beta1, spec: {}}}`,
    warnings: [`compat: ${rule}.generate: kind Widget without apiVersion read as example.com/v1beta1`],
    reads: {action: {raw: {apiVersion: 'example.com/v1beta1'}}},
  },
  {
    title: 'Q10 the bare data map of a ConfigMap',
    rule: `${noValidate}\ngenerate: {apiVersion: v1, kind: ConfigMap, name: a, namespace: b, data: {config.yaml: "x: 1", size: 2, on: true}}`,
    warnings: [`compat: ${rule}.generate.data: read as the ConfigMap's data (${rule}.generate.data.data)`],
    reads: {action: {raw: {data: {data: {'config.yaml': 'x: 1', size: '2', true: 'true'}}}}},
  },
  {
    title: 'Q11 Q12 data from a variable, and a target that is its trigger',
    rule: `${noValidate}
match: {resources: {kinds: [ConfigMap]}}
generate: {apiVersion: v1, kind: ConfigMap, name: "{{request.object.metadata.name}}", namespace: "{{request.object.metadata.namespace}}", data: "{{request.object.data}}"}`,
    warnings: [
      `compat: ${rule}.generate.data: a map that the variable yields is read as the ConfigMap's data unless it has an object's keys`,
      `compat: ${rule}.generate: a target equal to its trigger is read as a copy into every other namespace (system namespaces left out)`,
    ],
    reads: {action: {raw: {data: '{{request.object.data}}'}}},
  },
  {
    title: 'Q11 43 a generated kind that is also matched',
    rule: `${noValidate}
match: {resources: {kinds: [ConfigMap]}}
generate: {apiVersion: v1, kind: ConfigMap, name: a, namespace: b, data: {data: {}}}`,
    warnings: [
      `compat: ${rule}.generate: generated kind ConfigMap is also matched: objects that this policy made trigger nothing`,
    ],
    reads: {action: {type: 'generate'}},
  },
  {
    title: 'Q13 cleanup.removeResources is a clean-up task',
    rule: `${noValidate}\nmatch: {resources: {kinds: [Job]}}\ncleanup: {removeResources: [{kind: Job, selector: {matchLabels: {a: b}}}]}`,
    warnings: [
      `compat: ${rule}.cleanup: read as a clean-up task (schedule: every 5 minutes) for objects that also meet the rule's match and exclude`,
      `compat: ${rule}.cleanup.removeResources[0]: kind Job without apiVersion read as batch/v1`,
    ],
    reads: {
      action: {
        type: 'cleanup',
        schedule: undefined,
        removeResources: [{apiVersion: 'batch/v1', kind: 'Job', selector: {matchLabels: {a: 'b'}}}],
      },
    },
  },
  {
    title: 'Q18 kind * with an empty pattern',
    rule: 'match: {resources: {kinds: ["*"]}}\nvalidate: {pattern: {}}',
    warnings: [
      `compat: ${rule}.match.resources.kinds: kind "*" is judged at admission; background scans cover only kinds that are watched anyway, and every request costs`,
    ],
    reads: {match: {filters: [{kinds: ['*']}]}},
  },
  {
    title: 'Q22–Q28 patterns and patches are taken as written',
    rule: 'validate: {pattern: {spec: {initContainers: [{image: "?*"}], volumes: [{name: "*", =(hostPath): null}]}}}',
    warnings: [],
    reads: {
      action: {
        check: {pattern: {spec: {initContainers: [{image: '?*'}], volumes: [{name: '*', '=(hostPath)': null}]}}},
      },
    },
  },
  {
    title: 'mutate.overlay is patchStrategicMerge',
    rule: `${noValidate}\nmutate: {overlay: {a: b}}`,
    warnings: [`compat: ${rule}.mutate.overlay: read as patchStrategicMerge`],
    reads: {action: {patch: {type: 'strategicMerge', patch: {a: 'b'}}}},
  },
  {
    title: 'mutate.patches is patchesJson6902',
    rule: `${noValidate}\nmatch: {any: [{resources: {kinds: [Service]}}]}\nmutate: {patches: [{op: add, path: /a, value: {b: 1}}]}`,
    warnings: [`compat: ${rule}.mutate.patches: read as patchesJson6902`],
    reads: {action: {patch: {type: 'json6902', patch: '[{"op":"add","path":"/a","value":{"b":1}}]'}}},
  },
  {
    title: 'match.resources.name is one of names',
    rule: 'match: {resources: {kinds: [Pod], name: a}}',
    warnings: [],
    reads: {match: {filters: [{names: ['a']}]}},
  },
  {
    title: 'conditions as a bare list',
    rule: 'preconditions: [{key: a, operator: Equal, value: a}]',
    warnings: [],
    reads: {preconditions: [{key: 'a', operator: 'Equal', value: 'a'}]},
  },
  {
    title: 'validate.assert alone',
    rule: 'validate: {assert: {all: []}}',
    warnings: ['validate.assert is judged here, but has no effect in other current releases of the policy language'],
    reads: {action: {check: {type: 'assert', raw: {all: []}}}},
  },
];

describe('loose forms', () => {
  it.each(cases)('$title', ({rule: text, warnings, reads}) => {
    const result = load(policyWith(text));
    expect(result.errors).toEqual([]);
    expect(result.warnings.map(warning => warning.message)).toEqual(warnings);
    expect(result.policy?.spec.rules[0]).toMatchObject(reads as Partial<ClassicRule>);
  });

  it.each([
    {
      title: 'Q7 both keys in one rule',
      rule: 'validation: {pattern: {}}',
      errors: [[`${rule}.validation`, 'validation and validate are the same section and cannot both be given']],
    },
    {
      title: 'Q3 operations without one in common',
      rule: 'match: {resources: {kinds: [Pod], operations: [CREATE]}, operations: [DELETE]}',
      errors: [[`${rule}.match.operations`, 'operations and resources.operations have no operation in common']],
    },
    {
      title: 'Q5 labels that contradict the selector',
      rule: 'match: {resources: {kinds: [Pod], labels: {a: b}, selector: {matchLabels: {a: c}}}}',
      errors: [[`${rule}.match.resources.labels.a`, 'selector.matchLabels asks for another value of this label']],
    },
    {
      title: 'Q8 another failure action',
      rule: 'validate: {failureAction: deny, pattern: {}}',
      errors: [[`${rule}.validate.failureAction`, 'Unsupported value: "deny": supported values: "Audit", "Enforce"']],
    },
    {
      title: 'Q9 a kind of two groups',
      rule: `${noValidate}\ngenerate: {kind: Gadget, name: a, namespace: b, data: {}}`,
      errors: [
        [
          `${rule}.generate.apiVersion`,
          'apiVersion can not be empty: kind Gadget exists as lab.example.com/v2, shop.example.com/v1',
        ],
      ],
    },
    {
      title: 'Q9 a kind that nobody knows',
      rule: `${noValidate}\ngenerate: {kind: Gizmo, name: a, namespace: b, data: {}}`,
      errors: [[`${rule}.generate.apiVersion`, 'apiVersion can not be empty']],
    },
    {
      title: 'Q13 a clean-up without limits, and one beside validate',
      rule: 'cleanup: {schedule: often, removeResources: [{kind: Pod}]}',
      errors: [
        [
          rule,
          "Multiple operations defined in the rule 'r', only one operation (mutate,validate,generate,verifyImages) is allowed per rule",
        ],
        [`${rule}.cleanup.schedule`, 'schedule spec in the cleanup is not in proper cron format: "often"'],
        [
          `${rule}.cleanup.removeResources[0]`,
          'at least a selector, a name or a namespace is required: a kind alone would remove everything',
        ],
      ],
    },
    {
      title: 'Q17 a rule with only a name',
      rule: 'match: null\nvalidate: null',
      errors: [[rule, "rule 'r' at spec.rules[0] is unfinished: match and an action are missing"]],
    },
  ])('refuse $title', ({rule: text, errors}) => {
    const result = load(policyWith(text));
    expect(result.policy).toBeUndefined();
    expect(result.errors.map(({path, message}) => [path, message])).toEqual(errors);
  });

  it('Q16 says what a match without kinds lacks', () => {
    const {errors} = load(policyWith('match: {resources: {namespaces: [a]}}'));
    expect(errors[0]?.hint).toBe(
      'name them under resources.kinds; when "resources" is written twice in one block, only the last one arrives',
    );
  });

  it('keeps the submitted object untouched', () => {
    const policy = policyWith(
      'match: {resources: {kinds: [Pod]}, operations: [create]}\nvalidate: null\nvalidation: {pattern: {}}',
    );
    const before = structuredClone(policy);
    const result = load(policy);
    expect(policy).toEqual(before);
    expect(result.policy?.raw).toBe(policy);
  });
});

describe('the model of a policy', () => {
  it('has the defaults of the language', () => {
    const {policy} = load(policyWith('{}'));
    expect(policy).toMatchObject({
      ref: {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', namespace: '', name: 'p', key: 'p'},
      spec: {
        applyRules: 'All',
        admission: true,
        background: true,
        emitWarning: false,
        failurePolicy: 'Fail',
        timeoutSeconds: undefined,
        failureAction: 'Audit',
        useServerSideApply: false,
      },
    });
    expect(policy?.spec.rules[0]).toMatchObject({
      path: rule,
      exclude: undefined,
      preconditions: undefined,
      skipBackgroundRequests: true,
      action: {failureAction: undefined, allowExistingViolations: true, message: undefined},
    });
  });

  it('has one place for what old and new fields say', () => {
    const {policy} = load(
      policyWith('{}', '{failurePolicy: Ignore, webhookTimeoutSeconds: 7, validationFailureAction: Enforce}', 'Policy'),
    );
    expect(policy?.ref).toMatchObject({kind: 'Policy', namespace: 'team', key: 'team/p'});
    expect(policy?.spec).toMatchObject({failurePolicy: 'Ignore', timeoutSeconds: 7, failureAction: 'Enforce'});
  });

  it('has context entries by type', () => {
    const {policy} = load(
      policyWith(`context:
  - {name: a, variable: {value: null, jmesPath: x, default: 1}}
  - {name: b, configMap: {name: c, namespace: d}}
  - {name: e, apiCall: {service: {url: "https://f", headers: [{key: g, value: h}]}, method: POST, data: [{key: i, value: {j: 1}}]}}
  - {name: k, globalReference: {name: l}}
  - {name: m, imageRegistry: {reference: "{{ a }}"}}`),
    );
    expect(policy?.spec.rules[0]?.context).toEqual([
      {type: 'variable', name: 'a', jmesPath: 'x', default: 1},
      {type: 'configMap', name: 'b', configMapName: 'c', configMapNamespace: 'd'},
      {
        type: 'apiCall',
        name: 'e',
        method: 'POST',
        data: [{key: 'i', value: {j: 1}}],
        service: {url: 'https://f', headers: [{key: 'g', value: 'h'}]},
      },
      {type: 'globalReference', name: 'k', entry: 'l'},
      {type: 'imageRegistry', name: 'm', reference: '{{ a }}', raw: {reference: '{{ a }}'}},
    ]);
  });

  it('nests foreach entries', () => {
    const {policy} = load(
      policyWith(`validate:
  foreach:
    - list: request.object.spec.containers
      elementScope: false
      foreach: [{list: element.ports, deny: {conditions: {any: [{key: "{{ element.hostPort }}", operator: Equals, value: 1}]}}}]`),
    );
    expect(policy?.spec.rules[0]?.action).toMatchObject({
      check: {
        type: 'foreach',
        entries: [
          {elementScope: false, check: {type: 'foreach', entries: [{list: 'element.ports', check: {type: 'deny'}}]}},
        ],
      },
    });
  });

  it('takes fallbacks of the spec into rules', () => {
    const {policy} = load(
      policyWith(
        `${noValidate}\nmutate: {targets: [{apiVersion: v1, kind: Secret, name: a}], patchStrategicMerge: {}}`,
        '{mutateExistingOnPolicyUpdate: true}',
      ),
    );
    expect(policy?.spec.rules[0]?.action).toMatchObject({
      mutateExistingOnPolicyUpdate: true,
      targets: [{apiVersion: 'v1', kind: 'Secret', name: 'a'}],
    });
  });
});
