import type {JsonObject} from '../../engine/json/types.js';

export interface SarifResult {
  readonly policy: string;
  readonly rule: string;
  readonly status: 'pass' | 'fail' | 'warn' | 'error' | 'skip';
  readonly message: string;
  /** `namespace/Kind/name`. */
  readonly resource: string;
  readonly file: string;
  readonly line: number;
  /** From the policy: low, medium, high, critical, info. */
  readonly severity: string | undefined;
  readonly description: string | undefined;
}

/** A SARIF 2.1.0 log with one run; results in the order given. */
export function sarifLog(results: readonly SarifResult[], version: string): JsonObject {
  const rules = new Map<string, SarifResult>();
  for (const result of results) if (!rules.has(ruleId(result))) rules.set(ruleId(result), result);
  const ids = [...rules.keys()];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {driver: {name: 'kyverno', version, rules: [...rules].map(([id, result]) => ruleJson(id, result))}},
        results: results.map(result => resultJson(result, ids)),
      },
    ],
  };
}

function ruleId({policy, rule}: SarifResult): string {
  return rule === '' ? policy : `${policy}/${rule}`;
}

function ruleJson(id: string, {policy, rule, description, severity}: SarifResult): JsonObject {
  const text = description === undefined || description === '' ? id : description;
  return {
    id,
    name: rule === '' ? policy : rule,
    shortDescription: {text},
    ...(severity !== undefined && {properties: {tags: [severity], 'security-severity': scores.get(severity) ?? '0.0'}}),
  };
}

const scores = new Map([
  ['critical', '9.5'],
  ['high', '8.0'],
  ['medium', '5.5'],
  ['low', '3.0'],
  ['info', '0.0'],
]);

function resultJson(result: SarifResult, ids: readonly string[]): JsonObject {
  const {kind, level} = outcomes[result.status];
  return {
    ruleId: ruleId(result),
    ruleIndex: ids.indexOf(ruleId(result)),
    kind,
    level,
    message: {
      text: result.message === '' ? `${result.resource}: ${result.status}` : `${result.resource}: ${result.message}`,
    },
    locations: [
      {
        ...(result.file !== '' && {
          physicalLocation: {
            artifactLocation: {uri: fileUri(result.file)},
            region: {startLine: Math.max(1, result.line)},
          },
        }),
        logicalLocations: [{fullyQualifiedName: result.resource, kind: 'object'}],
      },
    ],
  };
}

const outcomes = {
  pass: {kind: 'pass', level: 'none'},
  fail: {kind: 'fail', level: 'error'},
  warn: {kind: 'fail', level: 'warning'},
  error: {kind: 'fail', level: 'error'},
  skip: {kind: 'notApplicable', level: 'none'},
} as const;

/** A relative reference or file address, percent-encoded. */
function fileUri(path: string): string {
  const encoded = path.split(/[\\/]/).map(encodeURIComponent).join('/');
  return path.startsWith('/') ? `file://${encoded}` : encoded.replace(/^\.\//, '');
}
