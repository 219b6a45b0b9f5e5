/** What a run of chainsaw says in its report, of the one suite that it ran. */
export interface ChainsawVerdict {
  readonly status: 'pass' | 'fail' | 'skip';
  readonly failure?: {readonly step: string; readonly operation: string; readonly message: string};
}

interface Report {
  readonly tests?: readonly {
    readonly skipped?: boolean;
    readonly steps?: readonly {
      readonly name?: string;
      readonly operations?: readonly {
        readonly name?: string;
        readonly type?: string;
        readonly failure?: {readonly error?: string};
      }[];
    }[];
  }[];
}

/** Reads the report; a suite that asks to be skipped counts as neither, whatever chainsaw's exit status. */
export function readReport(text: string, exit: number): ChainsawVerdict {
  const {tests = []} = JSON.parse(text) as Report;
  const test = tests[0];
  if (test === undefined) return {status: 'fail', failure: {step: '', operation: '', message: 'chainsaw ran no test'}};
  if (test.skipped === true) return {status: 'skip'};
  for (const {name: step = '', operations = []} of test.steps ?? []) {
    for (const {name = '', type = '', failure} of operations) {
      if (failure === undefined) continue;
      return {status: 'fail', failure: {step, operation: `${type} ${name}`.trim(), message: failure.error ?? ''}};
    }
  }
  if (exit === 0) return {status: 'pass'};
  return {
    status: 'fail',
    failure: {step: '', operation: '', message: `chainsaw ended with ${exit} and names no failure`},
  };
}

/** The line that says most: assertions begin with the object's name in a frame, and list what differs by stars. */
export function gistOf(message: string): string {
  const lines = message.split('\n').map(line => line.trim());
  return (lines.find(line => line.startsWith('* ')) ?? lines[0] ?? '').slice(0, 200);
}
