import type {JsonObject} from '../../engine/json/types.js';
import {FileError} from '../files/file-error.js';

export interface CreateTestOptions {
  readonly name: string;
  readonly policies: readonly string[];
  readonly resources: readonly string[];
  readonly values?: string;
  /** `policy,rule,resource,namespace,kind[,patched resource file]`. */
  readonly pass: readonly string[];
  readonly fail: readonly string[];
  readonly skip: readonly string[];
}

/** A test file with one row for each expectation. */
export function createTest(options: CreateTestOptions): JsonObject {
  const rows = (['pass', 'fail', 'skip'] as const).flatMap(result =>
    options[result].map(text => expectation(text, result)),
  );
  return {
    apiVersion: 'cli.kyverno.io/v1alpha1',
    kind: 'Test',
    metadata: {name: options.name},
    policies: [...options.policies],
    resources: [...options.resources],
    ...(options.values !== undefined && options.values !== '' && {variables: options.values}),
    results: rows,
  };
}

function expectation(text: string, result: string): JsonObject {
  const fields = text.split(',').map(field => field.trim());
  if (fields.length !== 5 && fields.length !== 6) {
    throw new FileError(
      `--${result}: ${JSON.stringify(text)} is not of the form policy,rule,resource,namespace,kind[,patchedResources]`,
    );
  }
  const [policy = '', rule = '', resource = '', namespace = '', kind = '', patched = ''] = fields;
  return {
    policy,
    ...(rule !== '' && {rule}),
    resources: [namespace === '' ? resource : `${namespace}/${resource}`],
    ...(patched !== '' && {patchedResources: patched}),
    kind,
    result,
  };
}
