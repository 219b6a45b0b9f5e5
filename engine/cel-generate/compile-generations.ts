import {boolType} from '../cel/types/type.js';
import type {CelScope, CompileGenerations, CompileTools} from '../cel-policies/types.js';
import type {Generation} from '../cel-policies/model.js';
import {EvalError} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {compileTemplate} from './compile-template.js';
import {type MadeOptions, madeObjects} from './made-object.js';

type Entry = (scope: CelScope, place: Pick<MadeOptions, 'confinedTo' | 'resources'>) => JsonObject[];

/** More objects than this from one trigger are a fault of the policy. */
const mostObjects = 1_000;

/** `spec.generate` of a GeneratingPolicy: what its expressions and templates come to, in order. */
export const compileGenerations: CompileGenerations = (model, tools) => {
  const entries = model.spec.generate.flatMap((generation, index) => {
    const entry = compileEntry(generation, `spec.generate[${index}]`, tools);
    return entry === undefined ? [] : [entry];
  });
  const {namespace} = model.ref;
  return {
    generate(scope) {
      const place = {confinedTo: namespace === '' ? undefined : namespace, resources: scope.host.resources};
      const objects: JsonObject[] = [];
      for (const entry of entries) {
        objects.push(...entry(scope, place));
        if (objects.length > mostObjects) throw new EvalError(`failed to generate resources: more than ${mostObjects} objects for one trigger`);
      }
      return objects;
    },
  };
};

function compileEntry({expression, template}: Generation, path: string, tools: CompileTools): Entry | undefined {
  if (template !== undefined) {
    const render = compileTemplate(template, tools, `${path}.template.value`);
    return (scope, place) => render(scope).flatMap(object => madeObjects(object, {...place, namespace: undefined}));
  }
  const program = tools.compile(expression ?? '', `${path}.expression`, {
    types: [boolType],
    message: 'output is expected to be of type bool',
  });
  if (program === undefined) return undefined;
  return (scope, place) => {
    const {generator} = scope;
    const before = generator?.calls.length ?? 0;
    program.evaluate(scope.bindings, scope.host);
    return (generator?.calls.slice(before) ?? []).flatMap(call =>
      call.objects.flatMap(object => madeObjects(object, {...place, namespace: call.namespace})),
    );
  };
}
