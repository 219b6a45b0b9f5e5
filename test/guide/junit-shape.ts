import {parseXml, type XmlElement} from './xml.js';

interface ElementRule {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly children: readonly string[];
  /** Whether text may stand in it. */
  readonly text: boolean;
}

const leaf: ElementRule = {required: [], optional: ['type', 'message'], children: [], text: true};

// The part of the schema junit-10.xsd (Surefire's reports, as CI servers read them) that our reports use; narrower than
// it, as the elements of reruns and properties are left out.
const rules: ReadonlyMap<string, ElementRule> = new Map([
  [
    'testsuites',
    {required: [], optional: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'], text: false},
  ],
  [
    'testsuite',
    {
      required: ['name', 'tests', 'failures', 'errors'],
      optional: ['time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'log', 'url', 'group'],
      children: ['testcase'],
      text: false,
    },
  ],
  [
    'testcase',
    {
      required: ['name'],
      optional: ['time', 'classname', 'group'],
      children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
      text: false,
    },
  ],
  ['failure', leaf],
  ['error', leaf],
  ['skipped', leaf],
  ['system-out', {...leaf, optional: []}],
  ['system-err', {...leaf, optional: []}],
]);

/** What keeps a text from being a JUnit report: one line for each fault, counts that are wrong included. */
export function junitFaults(report: string): readonly string[] {
  const root = parseXml(report);
  if (root.name !== 'testsuites') return [`root is ${root.name}`];
  return [...shapeFaults(root), ...[root, ...root.children].flatMap(countFaults)];
}

function shapeFaults({name, attributes, children, text}: XmlElement): string[] {
  const rule = rules.get(name);
  if (rule === undefined) return [`${name}: unknown element`];
  const known = [...rule.required, ...rule.optional];
  return [
    ...rule.required.filter(attribute => !attributes.has(attribute)).map(attribute => `${name}: no ${attribute}`),
    ...[...attributes.keys()].filter(key => !known.includes(key)).map(key => `${name}: unknown attribute ${key}`),
    ...children.filter(child => !rule.children.includes(child.name)).map(child => `${name}: holds ${child.name}`),
    ...(rule.text || text.trim() === '' ? [] : [`${name}: holds text`]),
    ...children.flatMap(shapeFaults),
  ];
}

function countFaults(element: XmlElement): string[] {
  const cases = casesOf(element);
  const holding = (child: string) => cases.filter(({children}) => children.some(({name}) => name === child)).length;
  const counts = new Map([
    ['tests', cases.length],
    ['failures', holding('failure')],
    ['errors', holding('error')],
    ['skipped', holding('skipped')],
  ]);
  return [...counts]
    .filter(([name, count]) => Number(element.attributes.get(name) ?? count) !== count)
    .map(([name, count]) => `${element.name}: ${name} is not ${count}`);
}

function casesOf({name, children}: XmlElement): readonly XmlElement[] {
  return name === 'testsuite' ? children : children.flatMap(casesOf);
}
