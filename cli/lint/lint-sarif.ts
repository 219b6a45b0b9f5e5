import type {Json, JsonObject} from '../../engine/json/types.js';
import {lintCatalogue, type Severity} from '../../engine/lint/index.js';
import type {PlacedFinding} from './run-lint.js';

const levels: Readonly<Record<Severity, string>> = {error: 'error', warning: 'warning', info: 'note'};

/** A SARIF 2.1.0 log with one run; findings in the order given. */
export function lintSarif(findings: readonly PlacedFinding[], version: string): JsonObject {
  const catalogue = new Map(lintCatalogue.map(entry => [entry.id, entry]));
  const ids = [...new Set(findings.map(({id}) => id))];
  const rules = ids.map((id): Json => {
    const known = catalogue.get(id);
    if (known === undefined) return {id};
    return {
      id,
      shortDescription: {text: known.summary},
      help: {text: known.hint},
      defaultConfiguration: {level: levels[known.severity]},
    };
  });
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {tool: {driver: {name: 'kyverno', version, rules}}, results: findings.map(finding => resultJson(finding, ids))},
    ],
  };
}

function resultJson(
  {id, severity, message, hint, policy, path, file, line}: PlacedFinding,
  ids: readonly string[],
): Json {
  return {
    ruleId: id,
    ruleIndex: ids.indexOf(id),
    level: levels[severity],
    message: {text: hint === '' ? message : `${message}. ${hint}`},
    locations: [
      {
        physicalLocation: {artifactLocation: {uri: fileUri(file)}, region: {startLine: Math.max(1, line)}},
        logicalLocations: [{fullyQualifiedName: path === '' ? policy : `${policy}/${path}`}],
      },
    ],
  };
}

/** A relative reference or file address, percent-encoded. */
function fileUri(path: string): string {
  const encoded = path.split(/[\\/]/).map(encodeURIComponent).join('/');
  return path.startsWith('/') ? `file://${encoded}` : encoded.replace(/^\.\//, '');
}
