import {compileBlock} from '../compile/condition-block.js';
import type {Conditions} from '../compile/types.js';
import type {RuleScope} from '../context/rule-scope.js';
import {compileExtractors, type ImageExtractors} from '../image/image-extractors.js';
import type {KeyServiceLack} from '../image/key-services.js';
import type {ImageReference} from '../image/parse-image.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {child, flag, list, objects, strings, text} from '../policy/access.js';
import type {ClassicRule, VerifyImagesAction} from '../policy/model.js';
import type {RegexEngine} from '../regex/types.js';
import type {FailureAction} from '../types.js';
import {compileTemplate, type TemplateScope} from '../variables/template.js';
import type {Template} from '../variables/types.js';
import {checkExpressions} from './check-expressions.js';
import {compileLate} from './compile-late.js';
import type {ImageEntry} from './model.js';
import {readEntry, withoutFlatForm} from './read-entry.js';
import {compileReferences, compileSkips} from './references.js';

/** One entry of a rule, as far as it is known before a request. */
export interface CompiledImageEntry {
  readonly path: string;
  readonly matches: (image: ImageReference) => boolean;
  readonly skips: (image: ImageReference) => boolean;
  readonly mutateDigest: boolean;
  readonly verifyDigest: boolean;
  readonly required: boolean;
  /** Whether somebody has to vouch for its images. */
  readonly isProven: boolean;
  /** What is asked of registries, its variables resolved. Throws `EvalError`; may suspend. */
  readonly resolve: (scope: RuleScope) => ImageEntry;
  /** Per attestation; every block must hold for every statement. */
  readonly conditions: ReadonlyArray<readonly Conditions[]>;
  readonly deny: Deny | undefined;
}

export interface Deny {
  readonly conditions: Conditions;
  readonly message: Template<TemplateScope> | undefined;
}

export interface CompiledImages {
  readonly entries: readonly CompiledImageEntry[];
  readonly extractors: ImageExtractors;
  /** Whether the validating phase has something to look at. */
  readonly checks: boolean;
}

export interface CompileImagesOptions {
  readonly keyServiceLack: KeyServiceLack;
  readonly regex: RegexEngine | undefined;
}

/** Fields with their own meaning of variables, or none. */
const readLater: ReadonlySet<string> = new Set(['imageReferences', 'skipImageReferences', 'validate']);

export function compileImages(
  rule: ClassicRule,
  action: VerifyImagesAction,
  options: CompileImagesOptions,
): CompiledImages {
  const entries = action.raw.map((entry, index) =>
    compileEntry(withoutFlatForm(entry), `${rule.path}.verifyImages[${index}]`, options),
  );
  return {
    entries,
    extractors: compileExtractors(rule.imageExtractors, `${rule.path}.imageExtractors`),
    checks: entries.some(entry => entry.verifyDigest || entry.required),
  };
}

/** `Enforce` where any entry says so, else what the first says that says anything. */
export function imagesFailureAction(action: VerifyImagesAction): FailureAction | undefined {
  const said = action.raw.map(entry => text(entry, 'failureAction')).filter(value => value !== undefined);
  return (said.includes('Enforce') ? 'Enforce' : said[0]) as FailureAction | undefined;
}

function compileEntry(entry: JsonObject, path: string, options: CompileImagesOptions): CompiledImageEntry {
  const attestations = objects(entry, 'attestations');
  const validate = child(entry, 'validate');
  return {
    path,
    matches: compileReferences(strings(entry, 'imageReferences')),
    skips: compileSkips(strings(entry, 'skipImageReferences')),
    mutateDigest: flag(entry, 'mutateDigest') ?? true,
    verifyDigest: flag(entry, 'verifyDigest') ?? true,
    required: flag(entry, 'required') ?? true,
    isProven: objects(entry, 'attestors').length > 0 || attestations.length > 0,
    resolve: compileResolve(entry, path, options),
    conditions: attestations.map((attestation, index) =>
      list(attestation, 'conditions').map((block, at) =>
        compileBlock(block, `${path}.attestations[${index}].conditions[${at}]`),
      ),
    ),
    deny: compileDeny(validate, `${path}.validate`),
  };
}

function compileDeny(validate: JsonObject | undefined, path: string): Deny | undefined {
  const deny = child(validate, 'deny');
  if (deny === undefined) return undefined;
  const message = text(validate, 'message');
  return {
    conditions: compileBlock(own(deny, 'conditions'), `${path}.deny.conditions`),
    message: message ? compileTemplate(message, `${path}.message`) : undefined,
  };
}

function compileResolve(
  entry: JsonObject,
  path: string,
  {keyServiceLack, regex}: CompileImagesOptions,
): CompiledImageEntry['resolve'] {
  return compileLate(withVariables(entry), path, (part, secretNamespace) => {
    const read = readEntry(part, {secretNamespace, keyServiceLack});
    for (const set of [...read.attestors, ...read.attestations.flatMap(attestation => attestation.attestors)]) {
      checkExpressions(set, regex);
    }
    return read;
  });
}

function withVariables(entry: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(entry)) {
    if (readLater.has(key)) continue;
    out[key] = key === 'attestations' && Array.isArray(value) ? value.map(withoutConditions) : value;
  }
  return out;
}

function withoutConditions(attestation: Json): Json {
  if (!isObject(attestation)) return attestation;
  const {conditions: _, ...rest} = attestation;
  return rest;
}
