/** Resolves once `condition` holds, looking again after each turn of I/O; the test's own time limit ends it. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise<void>(resolve => setTimeout(resolve, 2));
}

/** Lets `turns` rounds of I/O pass. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>(resolve => setTimeout(resolve, 1));
}
