import {Document} from 'yaml';
import {catalogue} from '../../scripts/crd/catalogue.js';
import {toManifest} from '../../scripts/crd/definition.js';
import {installObjects} from './objects.js';
import {defaultSettings} from './settings.js';
import type {InstallSettings, KubeObject} from './types.js';

export const banner = '# Generated from install/source by `npm run generate`; edit there.\n';

/** What a reader of the manifest wants to know before the object. */
const remarks: Readonly<Record<string, string>> = {
  'ClusterRole kyverno': ' What the operator itself needs in the whole cluster. What policies need beyond it is granted apart, see docs/rbac.md.',
  'ClusterRole kyverno:extra':
    ' Filled by the API server from every ClusterRole with one of these labels: `kyverno rbac` prints such roles.',
  'ClusterRole kyverno:generate':
    ' What generate rules make without further grants. Whoever may write policies makes objects with these rights.',
  'ClusterRole kyverno:read':
    ' Built-in kinds by name, for scans and context entries; no Secrets. Whoever may write policies reads with these rights:\n delete the binding where policies shall read less, and grant single kinds.',
  'ClusterRoleBinding kyverno:view': ' Custom resources whose authors let the built-in role view read them.',
  'Role kyverno': ' What the operator needs in its own namespace only.',
  'ConfigMap kyverno': ' Settings that hold at once when they are changed. A value that cannot be read is ignored and named in the log.',
};

export function definitions(): readonly KubeObject[] {
  return catalogue.map(definition => toManifest(definition) as unknown as KubeObject);
}

/** YAML documents, one per object. */
export function yamlDocuments(objects: readonly KubeObject[]): string {
  return objects
    .map(object => {
      const document = new Document(object, {aliasDuplicateObjects: false});
      const remark = remarks[`${object.kind} ${object.metadata.name}`];
      if (remark !== undefined) document.commentBefore = remark;
      return document.toString({lineWidth: 0});
    })
    .join('---\n');
}

/** Everything in one file. */
export function manifestText(settings: InstallSettings = defaultSettings): string {
  return `${banner}${yamlDocuments([...definitions(), ...installObjects(settings)])}`;
}
