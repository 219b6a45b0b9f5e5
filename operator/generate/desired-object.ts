import {createHash} from 'node:crypto';
import {labelText, managedBy} from '../../engine/generate/labels.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {BackgroundPolicy, BackgroundRule, MadeTarget} from '../update-requests/background-policy.js';
import {groupOf, type NamedObject} from '../update-requests/trigger.js';
import {type Relation, relationAnnotation, relationText} from './relation.js';

export interface DesiredOptions {
  readonly policy: BackgroundPolicy;
  readonly rule: BackgroundRule;
  readonly trigger: NamedObject;
  readonly target: MadeTarget;
  readonly kind: KindInfo;
  readonly depth: number;
  readonly ofDeletion: boolean;
}

export interface Desired {
  /** What is applied, the relation within. */
  readonly object: JsonObject;
  readonly relation: Relation;
  readonly kind: KindInfo;
  /** Make it anew where an immutable field would change. */
  readonly recreate: boolean;
}

/** A generated object as it is to be applied. */
export function desiredObject({policy, rule, trigger, target, kind, depth, ofDeletion}: DesiredOptions): Desired {
  const body = appliedBody(target.object, kind);
  const metadata = own(body, 'metadata');
  const fields: JsonObject = isObject(metadata) ? metadata : {};
  const labels = own(fields, 'labels');
  const annotations = own(fields, 'annotations');
  const isClassic = policy.ref.kind === 'ClusterPolicy' || policy.ref.kind === 'Policy';
  const marked = {...(isObject(labels) ? labels : {}), ...(!isClassic && celLabels(policy, trigger, target))};
  const plain: JsonObject = {...body, metadata: {...fields, labels: marked}};
  const relation: Relation = {
    policy: policy.id,
    rule: rule.name,
    trigger,
    source: target.source,
    pattern: rule.pattern,
    hash: createHash('sha256').update(stringifyJson(plain, {sortKeys: true})).digest('hex').slice(0, 16),
    synchronize: rule.synchronize,
    orphan: rule.orphan,
    adopted: false,
    ofDeletion,
    depth,
  };
  return {object: withRelation({...plain, metadata: {...fields, labels: marked, ...(isObject(annotations) && {annotations})}}, relation), relation, kind, recreate: policy.recreates};
}

export function withRelation(object: JsonObject, relation: Relation): JsonObject {
  const metadata = own(object, 'metadata');
  const fields: JsonObject = isObject(metadata) ? metadata : {};
  const annotations = own(fields, 'annotations');
  return {...object, metadata: {...fields, annotations: {...(isObject(annotations) ? annotations : {}), [relationAnnotation]: relationText(relation)}}};
}

const serverFields = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generateName'];

function appliedBody(object: JsonObject, kind: KindInfo): JsonObject {
  const body: JsonObject = {...object};
  const metadata = own(body, 'metadata');
  if (isObject(metadata)) {
    body['metadata'] = Object.fromEntries(Object.entries(metadata).filter(([key]) => !serverFields.includes(key) && (kind.namespaced || key !== 'namespace')));
  }
  // Not written with the object where it is a part of its own.
  if (kind.subResources.includes('status')) delete body['status'];
  return kind.group === '' && kind.kind === 'Secret' ? withEncodedData(body) : body;
}

/** The server keeps no `stringData`: what it makes of it is what can be compared. */
function withEncodedData(secret: JsonObject): JsonObject {
  const texts = own(secret, 'stringData');
  if (!isObject(texts)) return secret;
  const data = own(secret, 'data');
  const encoded = Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, Buffer.from(textOf(value)).toString('base64')]));
  const {stringData: _dropped, ...rest} = secret;
  return {...rest, data: {...(isObject(data) ? data : {}), ...encoded}};
}

function celLabels({ref}: BackgroundPolicy, trigger: NamedObject, {source}: MadeTarget): JsonObject {
  const prefix = 'generate.kyverno.io';
  const slash = trigger.apiVersion.indexOf('/');
  const labels: JsonObject = {
    [managedBy]: 'kyverno',
    [`${prefix}/policy-name`]: labelText(ref.name),
    [`${prefix}/trigger-name`]: labelText(trigger.name),
    [`${prefix}/trigger-namespace`]: labelText(trigger.namespace),
    [`${prefix}/trigger-uid`]: labelText(trigger.uid),
    [`${prefix}/trigger-kind`]: labelText(trigger.kind),
    [`${prefix}/trigger-group`]: labelText(groupOf(trigger.apiVersion)),
    [`${prefix}/trigger-version`]: labelText(trigger.apiVersion.slice(slash + 1)),
  };
  if (source !== undefined) labels[`${prefix}/source-uid`] = labelText(source.uid);
  return labels;
}

/** Whether labels, as the peer writes them, name this rule as the object's origin. */
export function labelledBy(live: JsonObject, {ref}: BackgroundPolicy, rule: BackgroundRule): boolean {
  const label = (name: string) => textOf(ownPath(live, 'metadata', 'labels', `generate.kyverno.io/${name}`));
  if (label('policy-name') === '' || label('policy-name') !== labelText(ref.name)) return false;
  return label('rule-name') === '' || label('rule-name') === labelText(rule.name);
}
