import type {ObjectDeclaration} from '../../cel/library/library.js';
import {dynType} from '../../cel/types/type.js';
import type {Diagnostic} from '../../diagnostic.js';
import type {RegexEngine} from '../../regex/types.js';
import {nativeEnvironment, policyEnvironment} from '../environment/environments.js';
import {variablesType} from '../environment/variables-object.js';
import {celKind} from '../load/kinds.js';
import type {CelException} from '../model.js';
import {ExpressionCompiler} from './expression-compiler.js';
import {compileConditions} from './lists.js';

/** Which variables a policy has is not known before it is: any may be named. */
const anyVariable: ObjectDeclaration = {
  name: variablesType.kind === 'object' ? variablesType.name : '',
  field: () => dynType,
};

/** What no policy of a kind that the exception names could make of its conditions. Each fault once. */
export function checkExceptionConditions(exception: CelException, regex: RegexEngine): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const kind of new Set(exception.policyRefs.map(ref => ref.kind))) {
    const {environment} = environmentOf(kind, regex);
    const compiler = new ExpressionCompiler(
      environment.extend({libraries: [{name: 'any.variables', objects: [anyVariable]}]}),
    );
    compileConditions(exception.matchConditions, 'spec.matchConditions', compiler);
    for (const problem of compiler.problems) found.set(`${problem.path} ${problem.message}`, problem);
  }
  return [...found.values()];
}

function environmentOf(name: string, regex: RegexEngine) {
  const kind = celKind(name);
  if (kind === undefined) return nativeEnvironment({params: true, mutating: name.startsWith('Mutating'), regex});
  return policyEnvironment({type: kind.type, namespace: kind.namespaced ? 'any' : undefined, regex});
}
