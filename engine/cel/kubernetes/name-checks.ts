import {Buffer} from 'node:buffer';

/** Kubernetes' checks of names: every fault as the API server words it, none when the text is valid. */
export type NameCheck = (text: string) => string[];

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const key = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const value = `(${key})?`;

const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const dns1035Rule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const keyRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const maxLabel = 63;
const maxSubdomain = 253;
const nonEmpty = 'must be non-empty';

function whole(pattern: string): (text: string) => boolean {
  const regex = new RegExp(`^(?:${pattern})$`);
  return text => regex.test(text);
}

const isLabel = whole(label);
const isDns1035 = whole(dns1035);
const isKey = whole(key);
const isValue = whole(value);

/** Label by label: the pattern in one piece could take long on a hostile text. */
function isSubdomain(text: string): boolean {
  return text.split('.').every(isLabel);
}

function broken(rule: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map(example => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

function tooLong(text: string, most: number, unit: 'characters' | 'bytes' = 'characters'): string[] {
  return Buffer.byteLength(text) > most ? [`must be no more than ${most} ${unit}`] : [];
}

export const dns1123Label: NameCheck = text => {
  const faults = tooLong(text, maxLabel);
  if (isLabel(text)) return faults;
  return [...faults, isSubdomain(text) ? 'must not contain dots' : broken(labelRule, label, 'my-name', '123-abc')];
};

export const dns1123Subdomain: NameCheck = text => subdomainFaults(text, 'characters');

function subdomainFaults(text: string, unit: 'characters' | 'bytes'): string[] {
  const faults = tooLong(text, maxSubdomain, unit);
  return isSubdomain(text) ? faults : [...faults, broken(subdomainRule, subdomain, 'example.com')];
}

export const dns1035Label: NameCheck = text => {
  const faults = tooLong(text, maxLabel);
  return isDns1035(text) ? faults : [...faults, broken(dns1035Rule, dns1035, 'my-name', 'abc-123')];
};

export const labelValue: NameCheck = text => {
  const faults = tooLong(text, maxLabel, 'bytes');
  return isValue(text) ? faults : [...faults, broken(valueRule, value, 'MyValue', 'my_value', '12345')];
};

export const qualifiedName: NameCheck = text => {
  const parts = text.split('/');
  const rule = broken(keyRule, key, 'MyName', 'my.name', '123-abc');
  if (parts.length > 2) {
    return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts[parts.length - 1]!;
  const faults = parts.length === 2 ? prefixFaults(parts[0]!) : [];
  if (name === '') faults.push(`name part ${nonEmpty}`);
  else faults.push(...tooLong(name, maxLabel, 'bytes').map(fault => `name part ${fault}`));
  if (!isKey(name)) faults.push(`name part ${rule}`);
  return faults;
};

function prefixFaults(prefix: string): string[] {
  if (prefix === '') return [`prefix part ${nonEmpty}`];
  return subdomainFaults(prefix, 'bytes').map(fault => `prefix part ${fault}`);
}

/** For the beginning of a generated name: a dash may end it. */
export function asPrefix(check: NameCheck): NameCheck {
  // Upstream drops the character before the dash as well; what it had to be is not asked.
  return text => check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}
