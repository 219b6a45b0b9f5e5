import {Buffer} from 'node:buffer';
import type {DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags} from 'yaml';

/** Tags of YAML 1.1 that Kubernetes tools do not read: dates, sexagesimal numbers and the ordered collections. */
function isUnread(tag: string, format: string | undefined): boolean {
  return format === 'TIME' || /:(?:timestamp|binary|omap|pairs|set)$/.test(tag);
}

const newOctal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  format: 'OCT',
  test: /^[-+]?0o[0-7]+$/,
  resolve: text => (text.startsWith('-') ? -1n : 1n) * BigInt(text.replace(/^[-+]/, '')),
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
    ...tags.filter(tag => typeof tag !== 'object' || !isUnread(tag.tag, 'format' in tag ? tag.format : undefined)),
    binaryText,
  ],
};
