import type {Logger} from '../../adapters/log/logger.js';
import type {JsonObject} from '../../engine/json/types.js';
import {isObject, own} from '../../engine/json/types.js';
import {parseJson} from '../../engine/json/parse.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import {after, type Layer} from '../context.js';

const dumpVerbosity = 4;
const hidden = '**REDACTED**';

/** Logs requests and answers; data of Secrets stay out of the log. */
export function payloadDump(log: Logger, isOn: () => boolean): Layer {
  return (context, next) => {
    if (!isOn() || !log.enabled(dumpVerbosity)) return next(context);
    const {request} = context;
    log.v(dumpVerbosity, 'admission request', {
      uid: request.uid,
      request: stringifyJson(redact(request.raw, request.kind.kind)),
    });
    return after(next(context), answer => {
      const {patch} = answer;
      const shown = patch === undefined ? answer : {...answer, patch: redactPatch(patch, request.kind.kind)};
      log.v(dumpVerbosity, 'admission answer', {uid: request.uid, answer: shown});
      return answer;
    });
  };
}

/** A copy of a Secret's request without values; others as they are. */
export function redact(raw: JsonObject, kind: string): JsonObject {
  if (kind !== 'Secret') return raw;
  const copy: JsonObject = {...raw};
  for (const field of ['object', 'oldObject']) {
    const object = own(raw, field);
    if (isObject(object)) copy[field] = redactSecret(object);
  }
  return copy;
}

/** The text of a patch without values, for a Secret; others as they are. */
export function redactPatch(patch: string, kind: string): string {
  if (kind !== 'Secret') return patch;
  const operations = parseJson(patch);
  if (!Array.isArray(operations)) return hidden;
  return stringifyJson(operations.map(step => (isObject(step) && Object.hasOwn(step, 'value') ? {...step, value: hidden} : step)));
}

function redactSecret(secret: JsonObject): JsonObject {
  const copy: JsonObject = {...secret};
  for (const field of ['data', 'stringData']) {
    const values = own(secret, field);
    if (!isObject(values)) continue;
    copy[field] = Object.fromEntries(Object.keys(values).map(key => [key, hidden]));
  }
  const metadata = own(secret, 'metadata');
  if (isObject(metadata) && isObject(own(metadata, 'annotations'))) {
    // kubectl's last-applied annotation repeats the data.
    const annotations = own(metadata, 'annotations') as JsonObject;
    copy['metadata'] = {
      ...metadata,
      annotations: Object.fromEntries(Object.keys(annotations).map(key => [key, hidden])),
    };
  }
  return copy;
}
