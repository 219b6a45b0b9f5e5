import {Document, isScalar, Scalar, visit} from 'yaml';
import {Float, isObject, type Json} from '../../engine/json/types.js';
import {parseOptions} from '../../engine/yaml/tags.js';

export interface YamlTextOptions {
  /** Spaces per level. */
  readonly indent?: number;
  readonly sortKeys?: boolean;
}

/** YAML text that Kubernetes tools read back as the same value: block style, long lines unbroken, doubtful words quoted. */
export function yamlText(value: Json, options: YamlTextOptions = {}): string {
  const document = new Document(plain(value, options.sortKeys === true), {
    version: '1.1',
    aliasDuplicateObjects: false,
    customTags: parseOptions.customTags ?? null,
  });
  visit(document, {
    Scalar(_key, node) {
      // Words that YAML 1.1 readers may take for something else are quoted, numbers written with exponents too.
      if (isScalar(node) && typeof node.value === 'string' && doubtful.test(node.value))
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({indent: options.indent ?? 2, lineWidth: 0, indentSeq: false});
}

const doubtful =
  /^(?:[yYnN]|yes|no|on|off|true|false|null|~|=|<<|[-+]?[\d.][\d_.eExXoOa-fA-F+:-]*|[-+]?\.?(?:inf|nan)|\d{4}-\d\d?-\d\d?.*)$/i;

function plain(value: Json, sort: boolean): unknown {
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) return value.map(item => plain(item, sort));
  if (!isObject(value)) return value;
  const keys = sort ? Object.keys(value).sort() : Object.keys(value);
  return new Map(keys.map(key => [key, plain(value[key]!, sort)]));
}
