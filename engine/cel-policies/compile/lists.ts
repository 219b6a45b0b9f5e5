import type {AuditAnnotation, NamedExpression, Validation} from '../model.js';
import type {AnnotationList, CompiledValidations, CompileTools, ConditionList} from '../types.js';
import {annotationOutput, boolOutput, stringOutput, untypedAnnotation} from './expression-compiler.js';

/** Lists of expressions that several kinds have. Faults are told at `<path>[i].…`; what has one is left out. */
export function compileConditions(
  conditions: readonly NamedExpression[],
  path: string,
  tools: CompileTools,
): ConditionList {
  return {
    programs: conditions.flatMap(({name, expression}, index) => {
      const program = tools.compile(expression, `${path}[${index}].expression`, boolOutput);
      return program === undefined ? [] : [{name, program}];
    }),
  };
}

export interface AnnotationOptions {
  /** Values whose type is only known at run time are taken, too. */
  readonly untyped: boolean;
}

export function compileAnnotations(
  annotations: readonly AuditAnnotation[],
  path: string,
  tools: CompileTools,
  {untyped}: AnnotationOptions,
): AnnotationList {
  const expected = untyped ? untypedAnnotation : annotationOutput;
  return {
    programs: annotations.flatMap(({key, valueExpression}, index) => {
      const program = tools.compile(valueExpression, `${path}[${index}].valueExpression`, expected);
      return program === undefined ? [] : [{key, program}];
    }),
  };
}

export function compileValidations(
  validations: readonly Validation[],
  path: string,
  tools: CompileTools,
): CompiledValidations {
  return {
    programs: validations.flatMap(({expression, message, messageExpression}, index) => {
      const program = tools.compile(expression, `${path}[${index}].expression`, boolOutput);
      const messageProgram =
        messageExpression === undefined
          ? undefined
          : tools.compile(messageExpression, `${path}[${index}].messageExpression`, stringOutput);
      return program === undefined ? [] : [{program, message, messageProgram}];
    }),
  };
}

/** Expressions of policies for proxies: each comes to an answer, or to null when it has none. */
export function compileDecisions(
  validations: readonly Validation[],
  path: string,
  tools: CompileTools,
): CompiledValidations {
  return {
    programs: validations.flatMap(({expression}, index) => {
      const program = tools.compile(expression, `${path}[${index}].expression`);
      return program === undefined ? [] : [{program, message: undefined, messageProgram: undefined}];
    }),
  };
}
