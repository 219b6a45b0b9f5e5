import type {JsonObject} from '../../engine/json/types.js';
import {FileError} from '../files/file-error.js';
import {pair} from './write-out.js';

export interface CreateExceptionOptions {
  readonly namespace: string;
  readonly background: boolean;
  /** `policy,rule,…`. */
  readonly policyRules: readonly string[];
  /** `kind=…,name=…,namespace=…,operation=…`; each may come several times. */
  readonly any: readonly string[];
  readonly all: readonly string[];
}

const fields: Readonly<Record<string, string>> = {
  kind: 'kinds',
  name: 'names',
  namespace: 'namespaces',
  operation: 'operations',
};

/** A PolicyException. */
export function createException(name: string, options: CreateExceptionOptions): JsonObject {
  const any = options.any.map(text => filter(text, 'any'));
  const all = options.all.map(text => filter(text, 'all'));
  return {
    apiVersion: 'kyverno.io/v2',
    kind: 'PolicyException',
    metadata: {name, namespace: options.namespace},
    spec: {
      background: options.background,
      match: {...(any.length > 0 && {any}), ...(all.length > 0 && {all})},
      exceptions: options.policyRules.map(exempted),
    },
  };
}

function exempted(text: string): JsonObject {
  const [policyName = '', ...ruleNames] = text.split(',');
  if (policyName === '' || ruleNames.length === 0 || ruleNames.includes('')) {
    throw new FileError(`--policy-rules: ${JSON.stringify(text)} is not of the form policy,rule,…`);
  }
  return {policyName, ruleNames};
}

function filter(text: string, flag: string): JsonObject {
  const resources: Record<string, string[]> = {};
  for (const part of text.split(',')) {
    const [key, value] = pair(part, flag);
    const field = Object.hasOwn(fields, key) ? fields[key]! : undefined;
    if (field === undefined)
      throw new FileError(`--${flag}: ${JSON.stringify(key)} is none of ${Object.keys(fields).join(', ')}`);
    (resources[field] ??= []).push(value);
  }
  return {resources};
}
