import {enclosed} from '../../engine/cel-policies/autogen/rewrite-expression.js';
import type {NamedExpression, ResourceRule} from '../../engine/cel-policies/model.js';
import type {CompiledCelPolicy, PolicyVariant} from '../../engine/cel-policies/types.js';
import {bootstrapMatchCondition} from './bootstrap-kinds.js';
import type {WebhookMatchCondition} from './types.js';

/** `matchConditions` of a policy's own entry: those of its variants that `takes` lets through, each held to its kinds. */
export function entryConditions(policy: CompiledCelPolicy, takes: (condition: NamedExpression) => boolean): WebhookMatchCondition[] {
  const written = (variant: PolicyVariant) => variantConditions(variant).filter(takes);
  const [main, ...derived] = policy.variants;
  if (main === undefined) return [];
  if (synchronizes(policy)) {
    return written(main).map(({name, expression}) => ({name, expression: `request.operation != 'CREATE' || ${enclosed(expression)}`}));
  }
  if (derived.length === 0) return written(main).map(({name, expression}) => ({name, expression}));
  const pods = [{group: '', version: 'v1', kind: 'Pod'}];
  return [
    ...written(main).map(condition => guarded('autogen', pods, condition)),
    ...policy.autogen.flatMap(({name, targets}) => {
      const variant = derived.find(item => item.name === name);
      // Templates inside other kinds are judged as Pods: nothing of the object itself can be asked here.
      if (variant === undefined || name === 'extract') return [];
      return written(variant).map(condition => guarded(`autogen-${name}`, targets, condition));
    }),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The same with what the entry may get besides: the API server is asked about all of it. */
export function triedConditions(policy: CompiledCelPolicy, takes: (condition: NamedExpression) => boolean): WebhookMatchCondition[] {
  const conditions = entryConditions(policy, takes);
  const wild = policy.variants.some(({constraints}) => (constraints?.resourceRules ?? []).some(isWild));
  return wild ? [...conditions, bootstrapMatchCondition] : conditions;
}

/** Whether a rule may select kinds that a cluster boots with. */
export function isWild({apiGroups, resources}: Pick<ResourceRule, 'apiGroups' | 'resources'>): boolean {
  return [...apiGroups, ...resources].some(part => part.includes('*'));
}

function variantConditions({behaviour}: PolicyVariant): readonly NamedExpression[] {
  return behaviour.type === 'deleting' ? [] : behaviour.model.spec.matchConditions;
}

function synchronizes({source}: CompiledCelPolicy): boolean {
  return source.type === 'generating' && source.spec.synchronize;
}

function guarded(
  prefix: string,
  kinds: ReadonlyArray<{readonly group: string; readonly version: string; readonly kind: string}>,
  {name, expression}: NamedExpression,
): WebhookMatchCondition {
  const alternatives = kinds
    .map(({group, version, kind}) => `(object.apiVersion == '${group === '' ? version : `${group}/${version}`}' && object.kind =='${kind}')`)
    .sort();
  return {name: `${prefix}-${name}`, expression: `!(${alternatives.join(' || ')}) || ${enclosed(expression)}`};
}
