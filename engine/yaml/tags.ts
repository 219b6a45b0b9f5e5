import {Buffer} from 'node:buffer';
import type {CollectionTag, DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags} from 'yaml';

const floatTag = 'tag:yaml.org,2002:float';

/**
 * Tags of YAML 1.1 that Kubernetes tools do not read: dates, sexagesimal numbers and the ordered collections. Fractions
 * have a tag of their own here; infinity and what is no number stay.
 */
function isUnread({tag, format, test}: CollectionTag | ScalarTag): boolean {
  if (tag === floatTag && test instanceof RegExp && !test.test('.inf')) return true;
  return format === 'TIME' || /:(?:timestamp|binary|omap|pairs|set)$/.test(tag);
}

const newOctal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  format: 'OCT',
  test: /^[-+]?0o[0-7]+$/,
  resolve: text => (text.startsWith('-') ? -1n : 1n) * BigInt(text.replace(/^[-+]/, '')),
};

/** A number begins with a digit, of its fraction at least: `e5` and `.` are text, and so is what no double can hold. */
const float: ScalarTag = {
  tag: floatTag,
  default: true,
  test: /^[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/,
  resolve: text => {
    const value = Number(text.replace(/_/g, ''));
    return Number.isFinite(value) ? value : text;
  },
};

/** Kubernetes decodes binary scalars into text. */
const binaryText: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  default: false,
  resolve: text => Buffer.from(text, 'base64').toString('utf8'),
};

/** Scalars as sigs.k8s.io/yaml reads them: YAML 1.1 without dates and sexagesimal numbers, integers exact. */
export const parseOptions: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  merge: true,
  uniqueKeys: false,
  intAsBigInt: true,
  prettyErrors: false,
  logLevel: 'silent',
  customTags: (tags: Tags): Tags => [
    newOctal,
    ...tags.filter(tag => typeof tag !== 'object' || !isUnread(tag)),
    float,
    binaryText,
  ],
};
