import type {JsonObject} from '../../../engine/json/types.js';
import {readProbes} from '../../cel/probes.js';
import {canonical, canonicalOwn, toRival} from '../../cel/rival-values.js';
import {own, type Rival, rivals} from '../../cel/rivals.js';
import {readSpec, type SpecCase} from '../../cel/spec.js';
import {faultOf} from '../../cel/spec-judge.js';

/** How much of CEL each evaluator does, in one run; printed as JSON. */
export interface Ability {
  readonly name: string;
  /** Expressions of real policies that it can read, where they are at hand. */
  readonly policies: {readonly read: number; readonly of: number} | undefined;
  /** Cases of the public conformance data that come out right. */
  readonly cases: {readonly right: number; readonly of: number};
}

const {cases} = readSpec();
const policyTexts = [
  ...new Set(readProbes()?.flatMap(probe => (probe.source.startsWith('real policy') ? [probe.expr] : []))),
];

/** An error where one is wanted, else the wanted value; types are not asked for. */
function comesOut(rival: Rival, spec: SpecCase): boolean {
  const exact = rival.name !== 'cel-js';
  try {
    const variables = Object.entries(spec.bindings).map(([name, value]) => [name, toRival(value, exact)]);
    const run = rival.compile(spec.expr, Object.fromEntries(variables) as JsonObject);
    if ('type' in spec.expected) return true;
    const value = canonical(run(), exact);
    return 'value' in spec.expected && value === canonicalOwn(spec.expected.value, exact);
  } catch {
    return 'error' in spec.expected;
  }
}

function reads(rival: Rival, text: string): boolean {
  try {
    rival.parse(text);
    return true;
  } catch {
    return false;
  }
}

const abilities = [own, ...rivals].map((rival): Ability => {
  const right = cases.filter(spec => (rival === own ? faultOf(spec) === undefined : comesOut(rival, spec))).length;
  const read = policyTexts.filter(text => reads(rival, text)).length;
  return {
    name: rival.name,
    policies: policyTexts.length === 0 ? undefined : {read, of: policyTexts.length},
    cases: {right, of: cases.length},
  };
});
process.stdout.write(JSON.stringify(abilities));
