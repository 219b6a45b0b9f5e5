import {functionTable} from '../../engine/jmespath/functions/table.js';
import {functionNotes} from './function-notes.js';

/** A function beyond the standard language, as `jp function` shows it. */
export interface FunctionHelp {
  readonly name: string;
  /** `add(any, any) any`. */
  readonly signature: string;
  readonly note: string;
}

/** Parameters come from the functions themselves, so that what is shown is what is checked; sorted by signature. */
export function functionHelp(): readonly FunctionHelp[] {
  return Object.entries(functionNotes)
    .map(([name, {returns, note}]) => ({name, signature: `${name}(${parametersOf(name)}) ${returns}`, note}))
    .sort((a, b) => (a.signature < b.signature ? -1 : 1));
}

function parametersOf(name: string): string {
  const definition = functionTable.get(name);
  if (definition === undefined) throw new Error(`no function ${name}`);
  return definition.parameters.map(type => type.replace(/array\[[a-z]+\]/g, 'array')).join(', ');
}
