import {closed, integer, list, matching, oneOf, type Shape, text} from './shapes.js';

// The part of the SARIF 2.1.0 schema that our logs use, https://docs.oasis-open.org/sarif/sarif/v2.1.0/. Each object is
// closed to the fields named here, which makes it narrower than the schema: what this takes, the schema takes.

const level = oneOf('none', 'note', 'warning', 'error');
const message = closed({text});

const rule = closed(
  {id: text},
  {
    name: text,
    shortDescription: message,
    help: message,
    defaultConfiguration: closed({level}),
    properties: closed({tags: list(text, {unique: true}), 'security-severity': matching(/^\d+\.\d$/)}),
  },
);

const physicalLocation = closed(
  // A URI reference: no character that has to be escaped.
  {artifactLocation: closed({uri: matching(/^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+$/)})},
  {region: closed({startLine: integer(1)})},
);

const location = closed(
  {},
  {physicalLocation, logicalLocations: list(closed({fullyQualifiedName: text}, {kind: text}), {unique: true})},
);

const result = closed(
  {message},
  {
    ruleId: text,
    ruleIndex: integer(0),
    kind: oneOf('notApplicable', 'pass', 'fail', 'review', 'open', 'informational'),
    level,
    locations: list(location),
  },
);

const driver = closed({name: text}, {version: text, rules: list(rule, {unique: true})});

const log: Shape = closed(
  {version: oneOf('2.1.0'), runs: list(closed({tool: closed({driver})}, {results: list(result)}))},
  {$schema: matching(/^https:\/\/[\w./-]+$/)},
);

/** What keeps a log from being SARIF 2.1.0: one line for each fault, rules that results do not find included. */
export function sarifFaults(value: unknown): readonly string[] {
  const faults = log(value, 'log');
  if (faults.length > 0) return faults;
  const {runs} = value as {
    runs: {
      tool: {driver: {rules?: {id: string}[]}};
      results?: {ruleId: string; ruleIndex: number; kind?: string; level: string}[];
    }[];
  };
  return runs.flatMap(({tool, results = []}, run) =>
    results.flatMap(({ruleId, ruleIndex, kind = 'fail', level}, index) => [
      ...(tool.driver.rules?.[ruleIndex]?.id === ruleId
        ? []
        : [`runs[${run}].results[${index}]: not of rule ${ruleIndex}`]),
      // By the text of the standard: what did not fail has no level.
      ...((kind === 'fail') === (level !== 'none')
        ? []
        : [`runs[${run}].results[${index}]: ${kind} of level ${level}`]),
    ]),
  );
}
