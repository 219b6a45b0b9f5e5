import {nearest} from '../../policy/nearest.js';
import type {FunctionDeclaration, Overload} from '../library/library.js';
import type {Call, Select} from '../syntax/ast.js';
import {isDynOrError} from '../types/same.js';
import type {Type} from '../types/type.js';
import {type Applied, shortText, signatureText} from './report.js';
import type {Scope} from './scope.js';
import {writtenForm} from './written-forms.js';

const listedNames = 12;
const listedSignatures = 4;

/** The nearest of the names whose length allows that they are near. */
function near(name: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(name.length / 3));
  return nearest(
    name,
    names.filter(other => Math.abs(other.length - name.length) <= most),
  );
}

interface Place {
  /** Names that macros bind there. */
  readonly locals: readonly string[];
  /** Nothing is selected from it or called on it, so it may be meant as text. */
  readonly alone: boolean;
}

/** Of a name that is not declared. */
export function hintForName(name: string, known: Scope, {locals, alone}: Place): string | undefined {
  const found = near(name, [...locals, ...known.variables.keys()]);
  if (found !== undefined) return `did you mean ${found}?`;
  if (known.functions.has(name)) return `${name} is a function: ${name}(…)`;
  const members = namespaceHint(name, known.functions);
  if (members !== undefined) return members;
  const type = near(name, [...known.types.keys()]);
  if (type !== undefined) return `did you mean ${type}?`;
  return alone ? `text needs quotes: "${name}"` : undefined;
}

/** `math` alone is nothing; `math.abs` is a function. */
function namespaceHint(name: string, functions: Scope['functions']): string | undefined {
  const members = [...functions.keys()].filter(key => key.startsWith(`${name}.`) && isCallable(key));
  return members.length === 0 ? undefined : `functions: ${listed(members)}`;
}

const listed = (names: readonly string[]): string =>
  names.slice(0, listedNames).join(', ') + (names.length > listedNames ? ', …' : '');

/** Of a field that an object has not; `names`: those that it has, as far as they can be listed. */
export function hintForMember(name: string, names: readonly string[]): string | undefined {
  const found = near(name, names);
  if (found !== undefined) return `did you mean ${found}?`;
  return names.length === 0 ? undefined : `fields: ${listed(names)}`;
}

/** Of a selection from a value without fields. */
export function hintForField(type: Type, {field, test}: Select, scope: Scope): string | undefined {
  if (scope.functions.has(field)) return `${field} is a function: .${field}()`;
  if (type.kind === 'list') return 'a list has elements: list[0], list.all(x, …), list.map(x, …)';
  return test ? undefined : `values of type ${shortText(type)} have no fields`;
}

/** Of a function that is not declared. */
export function hintForCall({name}: Call, {functions}: Scope): string | undefined {
  const written = name.startsWith('.') ? name.slice(1) : name;
  const form = writtenForm(written);
  if (form !== undefined) return `it is written ${form}`;
  const found = near(written, [...functions.keys()].filter(isCallable));
  if (found !== undefined) return `did you mean ${found}?`;
  const qualified = [...functions.keys()].find(key => key.endsWith(`.${written}`));
  return qualified === undefined ? undefined : `did you mean ${qualified}(…)?`;
}

/** Operators and what macros unfold to are functions as well, but not to be called by name. */
const isCallable = (name: string): boolean => /^[A-Za-z][\w.]*$/.test(name);

/** Of arguments that no overload takes. */
export function hintForOverload(call: Applied, declared?: FunctionDeclaration): string | undefined {
  return hintForTypes(call) ?? (declared === undefined ? undefined : hintForSignatures(call, declared));
}

const logical: ReadonlySet<string> = new Set(['_?_:_', '!_']);
const numbers: ReadonlySet<string> = new Set(['int', 'uint', 'double']);

function hintForTypes({name, types}: Applied): string | undefined {
  const [left, right] = types;
  if (left === undefined) return undefined;
  if (logical.has(name)) {
    const hint = hintForCondition(left);
    if (hint !== undefined) return hint;
  }
  if (right === undefined || types.length !== 2 || !/^_.+_$|^@in$/.test(name)) return undefined;
  if (name === '@in') return membershipHint(left, right);
  if (name === '_[_]') return left.kind === 'list' ? 'places in a list are ints, counted from 0' : undefined;
  return conversionHint(name, left, right);
}

/** Of what stands where a bool must. */
export function hintForCondition(type: Type): string | undefined {
  if (type.kind === 'bool' || isDynOrError(type)) return undefined;
  if (type.kind === 'optional') return 'write .hasValue() or .orValue(false) behind the optional';
  if (type.kind === 'string') return 'compare the text: text == "true", or convert it: bool(text)';
  return `compare it: values of type ${shortText(type)} are neither true nor false`;
}

function membershipHint(left: Type, right: Type): string | undefined {
  if (right.kind === 'string') return 'to look for a part of a text, write text.contains("part")';
  if (right.kind === 'list')
    return `the elements are of type ${shortText(right.element)}, the value is of type ${shortText(left)}`;
  if (right.kind === 'map')
    return `the keys are of type ${shortText(right.key)}, the value is of type ${shortText(left)}`;
  return undefined;
}

function conversionHint(name: string, left: Type, right: Type): string | undefined {
  if (left.kind === 'optional' || right.kind === 'optional') return 'take the value out of the optional: .orValue(…)';
  if (left.kind === 'null' || right.kind === 'null')
    return 'a value of this type is never null; ask has(a.b) for a field';
  if (numbers.has(left.kind) && numbers.has(right.kind)) {
    return `both sides must be of one type: ${left.kind}(…) or ${right.kind}(…) converts`;
  }
  if (numbers.has(left.kind) && right.kind === 'string') return textHint(name, left.kind);
  if (left.kind === 'string' && numbers.has(right.kind)) return textHint(name, right.kind);
  return undefined;
}

const textHint = (name: string, number: string): string =>
  name === '_+_'
    ? 'to put a number into a text, write string(number)'
    : `to compare a text with a number, write ${number}(text), or put the number into quotes`;

function hintForSignatures({name, types, receiver}: Applied, {overloads}: FunctionDeclaration): string | undefined {
  if (!isCallable(name)) return undefined;
  const alike = overloads.filter(overload => overload.receiver === receiver);
  if (alike.length === 0) {
    const [overload] = overloads;
    return overload === undefined ? undefined : `it is called as ${callText(name, overload)}`;
  }
  const sameCount = alike.filter(overload => overload.params.length === types.length);
  const shown = (sameCount.length > 0 ? sameCount : alike).slice(0, listedSignatures);
  const more = shown.length < alike.length ? ', …' : '';
  return `takes ${shown.map(({params}) => signatureText(params, receiver)).join(', ')}${more}`;
}

function callText(name: string, {receiver, params}: Overload): string {
  const types = params.map(shortText);
  return receiver ? `${types[0]}.${name}(${types.slice(1).join(', ')})` : `${name}(${types.join(', ')})`;
}
