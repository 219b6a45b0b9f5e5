import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {stringify} from 'yaml';
import {catalogue} from '../../../scripts/crd/catalogue.js';
import {toManifest} from '../../../scripts/crd/definition.js';
import {oldestKubernetes, version} from '../settings.js';
import {chartTemplates} from './templates.js';
import {schemaText, valuesText} from './values-files.js';

const comment = '{{- /* Generated from install/source/chart by `npm run generate`; edit there. */}}\n';
const folder = 'install/chart';
const monitoring = join(import.meta.dirname, '../../../monitoring');

const chart = {
  apiVersion: 'v2',
  name: 'kyverno-ts',
  description: 'A Kubernetes policy operator that speaks Kyverno\'s API.',
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: `>=${oldestKubernetes}-0`,
  keywords: ['kubernetes', 'policy', 'admission', 'security', 'kyverno'],
  icon: 'https://kyverno-ts.example.org/icon.svg',
  annotations: {'artifacthub.io/operator': 'true', 'artifacthub.io/license': 'Apache-2.0'},
};

/** The chart: path from the root of the repository → text. */
export function chartFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>([
    [`${folder}/Chart.yaml`, `# Generated from install/source/chart by \`npm run generate\`; edit there.\n${stringify(chart)}`],
    [`${folder}/values.yaml`, valuesText()],
    [`${folder}/values.schema.json`, schemaText()],
    [`${folder}/.helmignore`, '*.md\n'],
  ]);
  for (const [name, text] of chartTemplates()) files.set(`${folder}/templates/${name}`, name === 'NOTES.txt' ? text : `${comment}${text}`);
  // Helm reads no file outside of the chart.
  for (const name of ['rules.yaml', 'grafana-dashboard.json']) files.set(`${folder}/files/monitoring/${name}`, readFileSync(join(monitoring, name), 'utf8'));
  for (const definition of catalogue) {
    const yaml = stringify(toManifest(definition), {aliasDuplicateObjects: false, lineWidth: 0});
    files.set(`${folder}/files/crds/${definition.group}_${definition.plural}.yaml`, yaml);
  }
  return files;
}
