const width = 30;

export interface ProgressBar {
  show(done: number, total: number): void;
  end(): void;
}

/** A bar on one line of a terminal; nothing elsewhere. */
export function createProgressBar(
  label: string,
  options: {readonly terminal: boolean; readonly write: (text: string) => void},
): ProgressBar {
  if (!options.terminal) return {show() {}, end() {}};
  return {
    show(done, total) {
      const filled = total === 0 ? width : Math.round((done / total) * width);
      options.write(`\r${label} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${done}/${total}`);
    },
    end: () => options.write('\r\u001b[K'),
  };
}
