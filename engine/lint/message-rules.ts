import type {LintRule} from './types.js';

const withoutOwnText = new Set(['podSecurity', 'cel', 'manifests']);

const messageMissing: LintRule = {
  id: 'message-missing',
  severity: 'warning',
  summary: 'Whoever is refused sees only which rule and path it was',
  hint: 'say in validate.message what is wanted and how to get there',
  *check({rule}) {
    if (rule.action.type !== 'validate' || withoutOwnText.has(rule.action.check.type)) return;
    if (rule.action.message === undefined || rule.action.message.trim() === '')
      yield {path: `${rule.path}.validate`, message: 'the rule has no message'};
  },
};

/** Words that tell what to do or what is wanted. */
const advice =
  /\b(?:must|should|use|uses|using|set|sets|add|adds|remove|specif\w*|require[sd]?|need|needs|needed|have to|has to|only|instead|please|allowed (?:values|registries|images)|from|at least|at most|between|may not|cannot|can't|do not|don't|not (?:be )?(?:allowed|permitted)|(?:is|are) (?:forbidden|disallowed|prohibited|mandatory|wanted|not)|want|wants|pin|give|say|keep|choose|contact|ask|see|request|begin|start|end|confined|limited|minimum|maximum|valid)\b/i;
const fewestWords = 3;

const messageWithoutAdvice: LintRule = {
  id: 'message-without-advice',
  severity: 'info',
  summary: 'A message that does not tell what to do is answered by a question',
  hint: 'name the field, what it must be, and whom to ask for an exception',
  *check({rule}) {
    if (rule.action.type !== 'validate') return;
    const message = rule.action.message?.trim() ?? '';
    if (message === '') return;
    const words = message.split(/\s+/).length;
    if (words < fewestWords || !advice.test(message))
      yield {path: `${rule.path}.validate.message`, message: `"${message.slice(0, 80)}" does not say what to do`};
  },
};

export const messageRules: readonly LintRule[] = [messageMissing, messageWithoutAdvice];
