import {base64, format, lists, math, regex, strings} from './extension-cases.js';
import {cidr, ip, quantity, semver} from './kubernetes-cases.js';
import type {Make} from './random.js';
import {formats, url} from './url-cases.js';

/** A family per library; each gives texts near the border of what the library takes. */
export const families: Readonly<Record<string, Make>> = {
  format,
  strings,
  regex,
  base64,
  math,
  lists,
  ip,
  cidr,
  quantity,
  semver,
  url,
  formats,
};
