import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {type ReportResult, resultKey} from './report-result.js';

/**
 * A result as a number of 52 bits: equal results have equal numbers, whenever they were found. Reports are mirrored as
 * lists of these, so that ten thousand of them fit beside everything else; only a difference costs a read.
 */
export function resultFingerprint(result: ReportResult): number {
  const properties = Object.entries(result.properties).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash(`${resultKey(result)}\n${result.status}\n${result.message}\n${result.scored}\n${result.category ?? ''}\n${result.severity ?? ''}\n${JSON.stringify(properties)}`);
}

/** The same of a result that is in a report. */
export function storedFingerprint(result: JsonObject): number {
  return resultFingerprint(storedResult(result));
}

/** Reads a result back. */
export function storedResult(result: JsonObject): ReportResult {
  const properties = own(result, 'properties');
  const texts: Record<string, string> = {};
  if (isObject(properties)) for (const [key, value] of Object.entries(properties)) if (typeof value === 'string') texts[key] = value;
  return {
    source: textOf(own(result, 'source')),
    policy: textOf(own(result, 'policy')),
    rule: textOf(own(result, 'rule')),
    status: textOf(own(result, 'result')) as ReportResult['status'],
    message: textOf(own(result, 'message')) || textOf(own(result, 'description')),
    scored: own(result, 'scored') !== false,
    category: optionalText(own(result, 'category')),
    severity: optionalText(own(result, 'severity')),
    properties: texts,
    part: texts['binding'] ?? texts['mapBinding'] ?? texts['patched-target'] ?? '',
  };
}

function optionalText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What is kept of a mirrored report. */
export function compactReport(report: JsonObject): JsonObject {
  const results = own(report, 'results');
  const marks = (Array.isArray(results) ? results.filter(isObject) : []).map(storedFingerprint).sort((a, b) => a - b);
  const metadata: JsonObject = {};
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion']) {
    const value = ownPath(report, 'metadata', field);
    if (value !== undefined) metadata[field] = value;
  }
  return {metadata, marks, scope: {apiVersion: textOf(ownPath(report, 'scope', 'apiVersion')), kind: textOf(ownPath(report, 'scope', 'kind'))}};
}

/** FNV-1a over UTF-16 units in two lanes, 26 bits of each. */
function hash(text: string): number {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return ((a >>> 6) & 0x3ffffff) * 0x4000000 + ((b >>> 6) & 0x3ffffff);
}
