import {KubeError} from '../../adapters/kube/kube-error.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own} from '../../engine/json/types.js';
import {storedResults} from './merge-report.js';
import {backgroundProcess} from './standing.js';

/** Texts of results of reports that are too large as they are. */
const shortMessage = 200;
const cut = '…';

/**
 * Ever less of a report, for a server that does not take it whole: first long texts are cut, then what passes and is
 * skipped goes without text and properties, then without a trace but in the summary. What violates stays.
 */
export const shrinkSteps: ReadonlyArray<(report: JsonObject) => JsonObject> = [
  report => withResults(report, storedResults(report).map(shortened)),
  report => withResults(report, storedResults(report).map(result => (isGood(result) ? bare(result) : shortened(result)))),
  report => withResults(report, storedResults(report).filter(result => !isGood(result)).map(bare)),
];

/** The object is more than the API server or its store takes. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  return error.status === 413 || (error.status >= 422 && /too large|larger than max|exceeds? .*(size|limit)/i.test(error.message));
}

function withResults(report: JsonObject, results: readonly JsonObject[]): JsonObject {
  const spec = own(report, 'spec');
  return isObject(spec) ? {...report, spec: {...spec, results: [...results]}} : {...report, results: [...results]};
}

function isGood(result: JsonObject): boolean {
  const status = textOf(own(result, 'result'));
  return status === 'pass' || status === 'skip';
}

function shortened(result: JsonObject): JsonObject {
  const next: JsonObject = {...result};
  for (const field of ['message', 'description']) {
    const text = own(next, field);
    if (typeof text === 'string' && text.length > shortMessage) next[field] = `${text.slice(0, shortMessage - 1)}${cut}`;
  }
  return next;
}

/** Who and what, nothing else. */
function bare(result: JsonObject): JsonObject {
  const {message: _message, description: _description, properties, ...rest} = result;
  const process = isObject(properties) ? own(properties, 'process') : undefined;
  return {...rest, properties: {process: process ?? backgroundProcess}};
}
