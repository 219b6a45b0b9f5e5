import {templatePath} from '../autogen/controllers.js';
import {isObject, type Json, type JsonObject, setOwn} from '../json/types.js';
import {parseKindSelector} from '../match/kind-selector.js';
import type {ClassicRule, ResourceFilter} from '../policy/model.js';
import type {ResourceMap} from '../resource-map.js';
import {filtersOf, patchesOf, patternNodes, textsOf} from './walk.js';

const maxSamples = 24;

/** Objects that a mutate rule selects, as far as its filters and the conditions in its patches say how they look. */
export function buildSamples(rule: ClassicRule, resources: ResourceMap): JsonObject[] {
  const samples: JsonObject[] = [];
  for (const {filter} of filtersOf(rule, 'match')) {
    for (const selector of filter.kinds.length > 0 ? filter.kinds : ['Pod']) {
      for (const image of imagesFor(rule)) {
        if (samples.length < maxSamples) samples.push(sampleOf(selector, filter, {rule, resources, image}));
      }
    }
  }
  return samples;
}

interface Wish {
  readonly rule: ClassicRule;
  readonly resources: ResourceMap;
  readonly image: string;
}

function sampleOf(text: string, filter: ResourceFilter, {rule, resources, image}: Wish): JsonObject {
  const selector = parseKindSelector(text);
  const kind = selector === undefined || /[*?]/.test(selector.kind) ? 'Pod' : selector.kind;
  const info = resources
    .find(kind)
    .find(known => selector === undefined || selector.group === '*' || known.group === selector.group);
  const group = info?.group ?? '';
  const version = info?.version ?? 'v1';
  const labels: JsonObject = {app: 'sample'};
  for (const [key, value] of Object.entries(filter.selector?.matchLabels ?? {}))
    setOwn(labels, concrete(key), concrete(value));
  for (const {key, operator, values} of filter.selector?.matchExpressions ?? []) {
    if (operator === 'In' || operator === 'Exists') setOwn(labels, key, values?.[0] ?? 'sample');
  }
  const annotations: JsonObject = {};
  for (const [key, value] of Object.entries(filter.annotations ?? {}))
    setOwn(annotations, concrete(key), concrete(value));
  const namespaced = info?.namespaced ?? true;
  const metadata: JsonObject = {
    name: concrete(filter.names[0] ?? 'sample'),
    ...(namespaced && {namespace: concrete(filter.namespaces[0] ?? 'default')}),
    labels,
    ...(Object.keys(annotations).length > 0 && {annotations}),
  };
  const head: JsonObject = {apiVersion: group === '' ? version : `${group}/${version}`, kind, metadata};
  const path = templatePath(kind);
  if (path === undefined)
    return withConditions(
      {...head, ...(kind === 'Service' && {spec: {ports: [{port: 80}], selector: {app: 'sample'}}})},
      rule,
    );
  const pod: JsonObject = {
    spec: {
      containers: [
        {name: 'main', image},
        {name: 'helper', image},
      ],
    },
  };
  if (path.length === 0) return withConditions({...head, ...pod}, rule);
  const template: Json = {metadata: {labels: {app: 'sample'}}, ...pod};
  return withConditions(
    {...head, ...(path.reduceRight<Json>((inner, key) => ({[key]: inner}), template) as JsonObject)},
    rule,
  );
}

/** Values that `( )` conditions of a patch ask for, where they stand in maps. */
function withConditions(object: JsonObject, rule: ClassicRule): JsonObject {
  let result = object;
  for (const {patch, path} of patchesOf(rule)) {
    if (patch.type !== 'strategicMerge') continue;
    for (const {anchor, name, value, above, path: at} of patternNodes(patch.patch, path)) {
      if (anchor?.kind !== 'conditional' && anchor?.kind !== 'global') continue;
      if (isObject(value) || Array.isArray(value) || at.slice(path.length).includes('[')) continue;
      result = withValue(result, [...above, name], typeof value === 'string' ? concrete(value) : value);
    }
  }
  return result;
}

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inner = object[key];
  const copy = {...object};
  setOwn(copy, key, rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value));
  return copy;
}

const plainImage = 'registry.example.com/team/app:1.0';

/** A plain image, and those that patches and conditions speak of. */
function imagesFor(rule: ClassicRule): string[] {
  const images = new Set([plainImage]);
  for (const {patch, path} of patchesOf(rule)) {
    if (patch.type !== 'strategicMerge') continue;
    for (const {name, anchor, value} of patternNodes(patch.patch, path)) {
      if (name === 'image' && anchor !== undefined && typeof value === 'string' && !value.includes('{{'))
        images.add(imageLike(value));
    }
  }
  const places = [rule.preconditions, rule.action as unknown as Json];
  for (const place of places)
    for (const {text} of textsOf(place, '')) if (/^[\w.*?/-]*:[\w.*?-]+$/.test(text)) images.add(imageLike(text));
  images.add('nginx');
  return [...images];
}

/** `*:latest` → `registry.example.com/team/app:latest`. */
function imageLike(pattern: string): string {
  const [first = ''] = pattern.split('|');
  const text = first.trim().replace(/^!/, '');
  return text.startsWith('*:')
    ? `registry.example.com/team/app${text.slice(1).replace(/[*?]/g, 'x')}`
    : text.replace(/\*$/, 'app:1.0').replace(/[*?]/g, 'x');
}

/** A text that a glob matches. */
function concrete(pattern: string): string {
  const text = pattern.replace(/\*/g, 'x').replace(/\?/g, 'x');
  return text === '' ? 'x' : text;
}
