import {escapeXml} from './xml.js';

export interface JunitCase {
  readonly suite: string;
  readonly className: string;
  readonly name: string;
  readonly outcome: 'pass' | 'fail' | 'error' | 'skip';
  readonly reason: string;
  readonly message?: string;
}

/** Cases grouped by suite, in order of first appearance. */
export function junitXml(cases: readonly JunitCase[]): string {
  const suites = new Map<string, JunitCase[]>();
  for (const item of cases) {
    const known = suites.get(item.suite);
    if (known === undefined) suites.set(item.suite, [item]);
    else known.push(item);
  }
  const body = [...suites].map(
    ([name, items]) =>
      `  <testsuite name="${escapeXml(name)}" ${counts(items)} skipped="${count(items, 'skip')}">\n${items.map(caseXml).join('')}  </testsuite>\n`,
  );
  // The root has no count of skipped cases: schemas of this format know it of suites alone.
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts(cases)}>\n${body.join('')}</testsuites>\n`;
}

function counts(cases: readonly JunitCase[]): string {
  return `tests="${cases.length}" failures="${count(cases, 'fail')}" errors="${count(cases, 'error')}"`;
}

function count(cases: readonly JunitCase[], outcome: JunitCase['outcome']): number {
  return cases.filter(item => item.outcome === outcome).length;
}

function caseXml({className, name, outcome, reason, message = ''}: JunitCase): string {
  const head = `    <testcase classname="${escapeXml(className)}" name="${escapeXml(name)}"`;
  switch (outcome) {
    case 'pass':
      return `${head}>\n      <system-out>${escapeXml(message === '' ? reason : message)}</system-out>\n    </testcase>\n`;
    case 'skip':
      return `${head}>\n      <skipped message="${escapeXml(reason)}"/>\n    </testcase>\n`;
    default: {
      const tag = outcome === 'error' ? 'error' : 'failure';
      return `${head}>\n      <${tag} message="${escapeXml(reason)}">${escapeXml(message)}</${tag}>\n    </testcase>\n`;
    }
  }
}
