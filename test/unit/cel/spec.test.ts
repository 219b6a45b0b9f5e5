import {expect, test} from 'vitest';
import {readSpec} from '../../cel/spec.js';
import {exceptions} from '../../cel/spec-exceptions.js';
import {faultOf} from '../../cel/spec-judge.js';

test('the public conformance data: every case as it is to come out, but for the known exceptions', () => {
  const {cases, needProtobuf} = readSpec();
  const sections = new Map<string, {passed: number; of: number}>();
  const faults = new Map<string, string>();
  for (const spec of cases) {
    const section = sections.get(spec.section) ?? {passed: 0, of: 0};
    sections.set(spec.section, section);
    section.of++;
    const found = faultOf(spec);
    if (found === undefined) section.passed++;
    else faults.set(spec.id, `${spec.expr} → ${found}`);
  }
  const lines = [...sections].map(([name, {passed, of}]) => `${name.padEnd(16)} ${passed}/${of}`);
  const passed = cases.length - faults.size;
  const share = ((100 * passed) / cases.length).toFixed(2);
  const left = [...needProtobuf].map(([name, count]) => `${name} ${count}`).join(', ');
  console.log(`${lines.join('\n')}\nall ${passed}/${cases.length} (${share} %); need protobuf messages: ${left}`);

  const unexpected = [...faults].filter(([id]) => !Object.hasOwn(exceptions, id));
  expect(unexpected).toEqual([]);
  const healed = Object.keys(exceptions).filter(id => !faults.has(id));
  expect(healed, 'listed as an exception, but passes').toEqual([]);
  expect(passed / cases.length).toBeGreaterThanOrEqual(0.98);
});
