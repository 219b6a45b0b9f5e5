import {readConditions} from '../conditions/read-conditions.js';
import {isObject, type Json} from '../json/types.js';
import {parseAnchor} from '../pattern/index.js';
import type {ClassicPolicy, ClassicRule, FilterGroup, MutatePatch, ValidateCheck} from '../policy/model.js';
import {absentNote} from './trace-pattern.js';
import type {ExplainNode, PolicyExplanation, RuleExplanation} from './types.js';

export type PointKind =
  | 'rule'
  | 'match'
  | 'exclude'
  | 'precondition'
  | 'condition'
  | 'alternative'
  | 'anchor'
  | 'foreach';

/** A place in a policy that a test can reach. */
export interface CoveragePoint {
  readonly rule: string;
  readonly kind: PointKind;
  readonly name: string;
  /** Unique in its policy, as declared: `spec.rules[0].validate.pattern.spec.(image)`. */
  readonly path: string;
}

const deepest = 400;
/** Others have no meaning in patches. */
const patchAnchors: ReadonlySet<string | undefined> = new Set(['conditional', 'global', 'addIfAbsent']);

/** Everything in a policy's declared rules that tests should reach. */
export function coveragePoints(policy: ClassicPolicy): CoveragePoint[] {
  return policy.spec.rules.flatMap(rulePoints);
}

function rulePoints(rule: ClassicRule): CoveragePoint[] {
  const {path, action} = rule;
  const point = (kind: PointKind, name: string, at: string): CoveragePoint => ({rule: rule.name, kind, name, path: at});
  const filters = (group: FilterGroup, kind: 'match' | 'exclude') =>
    group.filters.map((_, index) => point(kind, `${group.mode}[${index}]`, `${path}.${kind}.${group.mode}[${index}]`));
  const conditions = (raw: Json | undefined, at: string, kind: 'precondition' | 'condition') => {
    const {any, all} = readConditions(raw, at).conditions;
    return [...(any ?? []), ...(all ?? [])].map(condition => point(kind, condition.operator, condition.path));
  };
  const check = (checked: ValidateCheck, at: string): CoveragePoint[] => {
    switch (checked.type) {
      case 'pattern':
        return anchors(checked.pattern, `${at}.pattern`, 0);
      case 'anyPattern':
        return checked.patterns.flatMap((pattern, index) => {
          const place = `${at}.anyPattern[${index}]`;
          return [point('alternative', `anyPattern[${index}]`, place), ...anchors(pattern, place, 0)];
        });
      case 'deny':
        return conditions(checked.conditions, `${at}.deny.conditions`, 'condition');
      case 'foreach':
        return checked.entries.flatMap((entry, index) => {
          const place = `${at}.foreach[${index}]`;
          return [
            point('foreach', entry.list, place),
            ...conditions(entry.preconditions, `${place}.preconditions`, 'precondition'),
            ...check(entry.check, place),
          ];
        });
      default:
        return [];
    }
  };
  const anchors = (pattern: Json, at: string, depth: number): CoveragePoint[] => {
    if (depth > deepest) return [];
    if (Array.isArray(pattern)) return pattern.flatMap((item, index) => anchors(item, `${at}[${index}]`, depth + 1));
    if (!isObject(pattern)) return [];
    return Object.keys(pattern).flatMap(key => {
      const place = `${at}.${key}`;
      const below = anchors(pattern[key]!, place, depth + 1);
      return parseAnchor(key) === undefined ? below : [point('anchor', key, place), ...below];
    });
  };
  const patch = (patched: MutatePatch, at: string): CoveragePoint[] => {
    if (patched.type === 'strategicMerge')
      return anchors(patched.patch, `${at}.patchStrategicMerge`, 0).filter(({name}) =>
        patchAnchors.has(parseAnchor(name)?.kind),
      );
    if (patched.type !== 'foreach') return [];
    return patched.entries.flatMap((entry, index) => {
      const place = `${at}.foreach[${index}]`;
      return [
        point('foreach', entry.list, place),
        ...conditions(entry.preconditions, `${place}.preconditions`, 'precondition'),
        ...patch(entry.patch, place),
      ];
    });
  };
  const points = [point('rule', rule.name, path)];
  // A sole filter is reached with its rule.
  if (rule.match.filters.length > 1) points.push(...filters(rule.match, 'match'));
  if (rule.exclude !== undefined) points.push(...filters(rule.exclude, 'exclude'));
  points.push(...conditions(rule.preconditions, `${path}.preconditions`, 'precondition'));
  if (action.type === 'validate') points.push(...check(action.check, `${path}.validate`));
  if (action.type === 'mutate') points.push(...patch(action.patch, `${path}.mutate`));
  return points;
}

/**
 * Paths of the points that one decision reached. A rule, when it gave an answer; a filter, when it selected; a condition,
 * when it was judged; an alternative, when it was tried; an anchor, when the object had its key and, for `( )` and `<( )`,
 * its condition held, or `+( )` added its field; a negation, when it was judged; a loop, when it judged an element. Derived rules count for the
 * declared ones.
 */
export function reachedPoints({rules}: PolicyExplanation): Set<string> {
  const reached = new Set<string>();
  for (const rule of rules) collectRule(rule, reached);
  return reached;
}

function collectRule(rule: RuleExplanation, reached: Set<string>): void {
  if (rule.outcome === 'answered') reached.add(rule.path);
  const declared = declaredPath(rule);
  const visit = (node: ExplainNode | undefined): void => {
    if (node === undefined) return;
    if (isReached(node)) reached.add(declared(node.path));
    node.children?.forEach(visit);
  };
  visit(rule.match);
  visit(rule.exclude);
  visit(rule.preconditions);
  visit(rule.check);
}

function isReached({kind, name, verdict, note, children = []}: ExplainNode): boolean {
  if (verdict === 'not-reached') return false;
  switch (kind) {
    case 'filter':
      return verdict === 'yes';
    case 'condition':
      return true;
    case 'foreach':
      return children.some(child => child.verdict !== 'ignored' && child.verdict !== 'not-reached');
    case 'pattern':
      return isAnchorReached(name, verdict, note);
    default:
      return false;
  }
}

function isAnchorReached(name: string, verdict: ExplainNode['verdict'], note: string | undefined): boolean {
  switch (parseAnchor(name)?.kind) {
    case 'conditional':
    case 'global':
      return verdict === 'pass' && note !== absentNote;
    case 'addIfAbsent':
      return verdict === 'pass';
    case 'equality':
    case 'existence':
      return note !== absentNote;
    default:
      // Negations, and the alternatives of an anyPattern.
      return true;
  }
}

/** A derived rule's pattern stands under the template of its controller; the declared one does not. */
function declaredPath({path, derived, rule}: RuleExplanation): (at: string) => string {
  if (derived === undefined) return at => at;
  const template = rule.startsWith('autogen-cronjob-') ? 'spec.jobTemplate.spec.template' : 'spec.template';
  const head = `${path}.`;
  return at => {
    if (!at.startsWith(head)) return at;
    const [whole = '', body = ''] =
      /^(validate\.pattern|validate\.anyPattern\[\d+\]|mutate(?:\.foreach\[\d+\])*\.patchStrategicMerge)(?:\.|$)/.exec(
        at.slice(head.length),
      ) ?? [];
    if (whole === '') return at;
    const rest = at.slice(head.length + body.length + 1);
    return rest.startsWith(`${template}.`) ? `${head}${body}.${rest.slice(template.length + 1)}` : at;
  };
}
