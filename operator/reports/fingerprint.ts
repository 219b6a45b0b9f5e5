import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {type ReportResult, resultKey} from './report-result.js';
import {type Who, whoOf} from './who.js';

/**
 * A result as a number of 52 bits: equal results have equal numbers, whenever they were found. Reports are mirrored as
 * lists of these, so that ten thousand of them fit beside everything else; only a difference costs a read.
 */
export function resultFingerprint(result: ReportResult): number {
  const properties = Object.entries(result.properties).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash(`${resultKey(result)}\n${result.status}\n${result.message}\n${result.scored}\n${result.category ?? ''}\n${result.severity ?? ''}\n${JSON.stringify(properties)}`);
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

/** What is kept of a mirrored report: for each result its number, and who found it. */
export interface CompactReport {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Ascending. */
  readonly marks: readonly number[];
  /** In no particular order; as many as marks. */
  readonly whos: readonly Who[];
}

export function compactReport(report: JsonObject): JsonObject {
  const results = own(report, 'results') ?? ownPath(report, 'spec', 'results');
  const stored = (Array.isArray(results) ? results.filter(isObject) : []).map(storedResult);
  const scope = own(report, 'scope') ?? ownPath(report, 'spec', 'owner');
  const metadata: JsonObject = {};
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion']) {
    const value = ownPath(report, 'metadata', field);
    if (value !== undefined) metadata[field] = value;
  }
  const compact: CompactReport = {
    apiVersion: internedText(ownPath(scope, 'apiVersion')),
    kind: internedText(ownPath(scope, 'kind')),
    name: textOf(ownPath(scope, 'name')),
    uid: textOf(ownPath(scope, 'uid')) || textOf(ownPath(report, 'metadata', 'name')),
    marks: stored.map(resultFingerprint).sort((a, b) => a - b),
    whos: stored.map(whoOf),
  };
  return {metadata, compact: compact as unknown as JsonObject};
}

/** Reads back what `compactReport` kept. */
export function compactOf(mirrored: JsonObject): CompactReport {
  return own(mirrored, 'compact') as unknown as CompactReport;
}

const texts = new Map<string, string>();

/** Few kinds, many reports. */
function internedText(value: Json | undefined): string {
  const text = textOf(value);
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size > 1_000) texts.clear();
  texts.set(text, text);
  return text;
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
