import type {Operation} from '../../engine/types.js';
import {allowed} from '../answers.js';
import type {Layer} from '../context.js';

const mutable: ReadonlySet<Operation> = new Set<Operation>(['CREATE', 'UPDATE', 'CONNECT']);

/** On mutating paths: a deletion has nothing to patch. */
export const operationFilter: Layer = (context, next) =>
  mutable.has(context.request.operation) ? next(context) : allowed;
