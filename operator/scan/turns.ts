/** A few may work at one time; the others wait in the order in which they came. */
export interface Turns {
  /** Resolves with what gives the turn back; calling that twice does nothing more. */
  take(): Promise<() => void>;
}

export function createTurns(count: number): Turns {
  const waiting: Array<() => void> = [];
  let free = count;
  function release(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>(resolve => waiting.push(resolve));
      let held = true;
      return () => {
        if (held) release();
        held = false;
      };
    },
  };
}
