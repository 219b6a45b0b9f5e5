import {RuleFailure} from '../generate/rule-failure.js';
import type {AppliedObject} from '../generate/sync-result.js';
import {type Findings, reportedObject} from '../reports/findings.js';
import type {BackgroundPolicy} from './background-policy.js';
import type {NamedObject} from './trigger.js';

/** Objects of one rule and trigger that a report names. */
const mostReported = 50;

/** What work in the background came to, for the reports. */
export interface BackgroundFindings {
  /** What each rule has made for the trigger, whether just now or before. */
  made(policy: BackgroundPolicy, trigger: NamedObject, applied: readonly AppliedObject[]): void;
  /** What a policy that writes its results itself could not make. */
  notMade(policy: BackgroundPolicy, trigger: NamedObject, failures: readonly unknown[]): void;
  changed(policy: BackgroundPolicy, trigger: NamedObject, rule: string, objects: readonly NamedObject[]): void;
}

export function createBackgroundFindings(findings: Pick<Findings, 'tell'>): BackgroundFindings {
  return {
    made({ref}, trigger, applied) {
      if (trigger.uid === '') return;
      const made = new Map<string, string[]>();
      for (const {object, rule} of applied) made.set(rule, [...(made.get(rule) ?? []), reportedObject(object)]);
      for (const [rule, objects] of made) {
        const shown = objects.sort().slice(0, mostReported).join('; ');
        const message = isGeneratingPolicy(ref) ? 'policy evaluated successfully' : `resource${objects.length === 1 ? '' : 's'} generated`;
        findings.tell({policy: ref, subject: trigger, rule, type: 'generate', status: 'pass', message, properties: {'generated-resources': shown}});
      }
    },
    notMade({ref}, trigger, failures) {
      if (trigger.uid === '' || !isGeneratingPolicy(ref)) return;
      const byRule = new Map<string, string[]>();
      for (const failure of failures) if (failure instanceof RuleFailure) byRule.set(failure.rule, [...(byRule.get(failure.rule) ?? []), failure.message]);
      for (const [rule, messages] of byRule) {
        findings.tell({policy: ref, subject: trigger, rule, type: 'generate', status: 'error', message: [...new Set(messages)].join('; '), properties: {}});
      }
    },
    changed({ref}, trigger, rule, objects) {
      if (ref.kind.endsWith('MutatingPolicy')) {
        // As its scans have it: each object's own report says that the policy was applied.
        for (const object of objects.slice(0, mostReported)) {
          if (object.uid !== '') findings.tell({policy: ref, subject: object, rule: '', type: 'mutateExisting', status: 'pass', message: 'success', properties: {}});
        }
        return;
      }
      if (trigger.uid === '') return;
      for (const object of objects.slice(0, mostReported)) {
        const where = object.namespace === '' ? '' : ` in namespace ${object.namespace}`;
        const message = `mutated ${object.kind}/${object.name}${where}`;
        findings.tell({policy: ref, subject: trigger, rule, type: 'mutateExisting', status: 'pass', message, properties: {'patched-target': reportedObject(object)}});
      }
    },
  };
}

function isGeneratingPolicy({kind}: {readonly kind: string}): boolean {
  return kind.endsWith('GeneratingPolicy');
}
