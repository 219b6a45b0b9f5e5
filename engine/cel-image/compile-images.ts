import {createEnvironment} from '../cel/compile/environment.js';
import type {Environment, Program} from '../cel/environment.js';
import {extensionLibraries} from '../cel/extensions/index.js';
import {kubernetesLibraries} from '../cel/kubernetes/index.js';
import {imageLibrary} from '../cel/kyverno/index.js';
import {dynType, listOf, stringType} from '../cel/types/type.js';
import type {ImageValidatingPolicy} from '../cel-policies/model.js';
import type {CompileTools, ExpectedType} from '../cel-policies/types.js';
import {EvalError} from '../diagnostic.js';
import {type KeyServiceLack, keyServiceOf} from '../image/key-services.js';
import type {RegexEngine} from '../regex/types.js';
import {attestorTexts} from './attestor-texts.js';
import {categories} from './extract-images.js';
import {GlobError, globPattern} from './image-glob.js';
import type {ImageMatch} from './model.js';
import type {CompiledAttestor, CompiledImages, ReferenceTest} from './types.js';

export interface ImageCompileOptions {
  readonly regex: RegexEngine;
  readonly keyServiceLack: KeyServiceLack;
  readonly bool: ExpectedType;
  readonly text: ExpectedType;
}

const imagesOutput: ExpectedType = {
  types: [listOf(stringType), dynType, listOf(dynType)],
  message: 'output is expected to be of type list(string)',
};

/** The parts that only policies on images have. Call it before the policy's own variables are compiled. */
export function compileExtractors({spec}: ImageValidatingPolicy, early: CompileTools): CompiledImages['extractors'] {
  return spec.images.flatMap(({name, expression}, index) => {
    const program = early.compile(expression, `spec.images[${index}].expression`, imagesOutput);
    return program === undefined ? [] : [{name, program}];
  });
}

/** Call it once the policy's variables are known: texts of attestors may read them. */
export function compileImages(model: ImageValidatingPolicy, tools: CompileTools, options: ImageCompileOptions): Omit<CompiledImages, 'extractors'> {
  const {spec, ref} = model;
  return {
    references: spec.matchImageReferences.flatMap((match, index) => {
      const test = compileReference(match, `spec.matchImageReferences[${index}]`, tools, options);
      return test === undefined ? [] : [test];
    }),
    attestors: spec.attestors.map((attestor, index) => compileAttestor({attestor, index}, tools, options)),
    attestations: new Map(spec.attestations.map(attestation => [attestation.name, attestation])),
    credentials: spec.credentials,
    namespace: ref.namespace === '' ? undefined : ref.namespace,
    verifyDigest: spec.verifyDigest,
    required: spec.required,
  };
}

function compileReference({glob, expression}: ImageMatch, path: string, tools: CompileTools, {regex, bool}: ImageCompileOptions): ReferenceTest | undefined {
  if (glob !== undefined) {
    try {
      return {type: 'glob', regex: regex.compile(globPattern(glob))};
    } catch (thrown) {
      if (!(thrown instanceof GlobError) && !(thrown instanceof EvalError)) throw thrown;
      tools.fault(`${path}.glob`, `Invalid value: ${JSON.stringify(glob)}: ${thrown.message}`);
      return undefined;
    }
  }
  const environment = referenceEnvironment(regex);
  const {program, text} = environment.compile(expression ?? '');
  if (program === undefined) {
    tools.fault(`${path}.expression`, `Invalid value: ${JSON.stringify(expression)}: ${text}`, expression);
    return undefined;
  }
  if (program.type.kind !== 'bool') {
    tools.fault(`${path}.expression`, `Invalid value: ${JSON.stringify(expression)}: ${bool.message}`, expression);
    return undefined;
  }
  return {type: 'expression', program};
}

interface PlacedAttestor {
  readonly attestor: CompiledAttestor['model'];
  readonly index: number;
}

function compileAttestor({attestor, index}: PlacedAttestor, tools: CompileTools, options: ImageCompileOptions): CompiledAttestor {
  const path = `spec.attestors[${index}]`;
  const programs = new Map<string, Program>();
  for (const {place, expression} of attestorTexts(attestor)) {
    const program = tools.compile(expression, `${path}.${place}`);
    if (program === undefined) continue;
    if (program.type.kind !== 'dyn' && program.type.kind !== 'string') {
      tools.fault(`${path}.${place}`, `Invalid value: ${JSON.stringify(expression)}: ${options.text.message}`, expression);
    }
    programs.set(place, program);
  }
  if (attestor.type === 'cosign') checkSigner(attestor, path, tools, options);
  return {model: attestor, programs};
}

function checkSigner({by}: Extract<CompiledAttestor['model'], {type: 'cosign'}>, path: string, tools: CompileTools, {regex, keyServiceLack}: ImageCompileOptions): void {
  if (by.type === 'kms') {
    const scheme = keyServiceOf(by.uri) ?? '';
    const lack = scheme === 'k8s' ? undefined : keyServiceLack(scheme);
    if (lack === undefined) return;
    tools.unserved(`${path}.cosign.key.kms`, `key service ${scheme}:// needs a plug-in that this installation has not: ${lack}`);
  }
  if (by.type !== 'keyless') return;
  by.identities.forEach(({issuerRegExp, subjectRegExp}, index) => {
    for (const [field, pattern] of Object.entries({issuerRegExp, subjectRegExp})) {
      if (pattern === undefined) continue;
      try {
        regex.compile(pattern);
      } catch (thrown) {
        if (!(thrown instanceof EvalError)) throw thrown;
        tools.fault(`${path}.cosign.keyless.identities[${index}].${field}`, `Invalid value: ${JSON.stringify(pattern)}: ${thrown.message}`);
      }
    }
  });
}

/** Names that expressions select of `attestors`, `attestations` and `images`, and that the policy has not. */
export function checkNames(model: ImageValidatingPolicy, programs: ReadonlyArray<{readonly path: string; readonly program: Program}>, tools: CompileTools): void {
  const {attestors, attestations, images} = model.spec;
  const known = {
    attestors: new Set(attestors.map(({name}) => name)),
    attestations: new Set(attestations.map(({name}) => name)),
    images: new Set([...categories, ...images.map(({name}) => name)]),
  };
  for (const {path, program} of programs) {
    for (const [variable, names] of Object.entries(known)) {
      for (const read of program.paths.get(variable) ?? []) {
        // Names may hold dots.
        if (read === '' || [...names].some(name => read === name || read.startsWith(`${name}.`))) continue;
        tools.fault(path, `Invalid value: ${JSON.stringify(program.source)}: spec.${variable} has no ${JSON.stringify(read)}`, program.source);
      }
    }
  }
}

const environments = new WeakMap<RegexEngine, Environment>();

/** Of `matchImageReferences`: a reference is all there is. */
export function referenceEnvironment(regex: RegexEngine): Environment {
  let environment = environments.get(regex);
  if (environment === undefined) {
    environment = createEnvironment({
      libraries: [...extensionLibraries, ...kubernetesLibraries, imageLibrary],
      variables: {ref: stringType},
      twoVariableMacros: true,
      homogeneousLiterals: true,
      literalValidators: true,
      lenientOrValue: false,
      costLimit: 1_000_000,
      regex,
    });
    environments.set(regex, environment);
  }
  return environment;
}
