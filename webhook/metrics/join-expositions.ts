interface Section {
  /** Its HELP and TYPE lines. */
  readonly head: readonly string[];
  readonly type: string;
  /** By name and labels, as written. */
  readonly samples: Map<string, number>;
}

/**
 * One exposition of two: what `parts` shows, joined with the series of another thread. Counters and histograms of equal labels are
 * summed up; of gauges the first counts.
 */
export async function* joinExpositions(parts: AsyncIterable<string>, other: string): AsyncGenerator<string, void, undefined> {
  const sections = readSections(other);
  let current: Section | undefined;
  let rest = '';

  function* ended(): Iterable<string> {
    for (const [series, value] of current?.samples ?? []) yield `${series} ${value}`;
    current = undefined;
  }

  function* joined(line: string): Iterable<string> {
    if (line.startsWith('# HELP ')) {
      yield* ended();
      const name = nameIn(line);
      current = sections.get(name);
      sections.delete(name);
      yield line;
    } else if (line === '' || line.startsWith('#') || current === undefined) {
      if (line === '') yield* ended();
      yield line;
    } else {
      const [series, value] = sampleIn(line);
      const theirs = current.samples.get(series);
      current.samples.delete(series);
      yield theirs === undefined || current.type === 'gauge' ? line : `${series} ${value + theirs}`;
    }
  }

  for await (const part of parts) {
    if (sections.size === 0 && current === undefined && rest === '') {
      yield part;
      continue;
    }
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop() ?? '';
    let text = '';
    for (const line of lines) for (const shown of joined(line)) text += `${shown}\n`;
    yield text;
  }
  let text = '';
  for (const line of rest === '' ? [] : joined(rest)) text += `${line}\n`;
  for (const line of ended()) text += `${line}\n`;
  yield `${text}${written(sections)}`;
}

/** What two expositions counted, as one: gauges are left out. For threads that are no more. */
export function joinCounts(one: string, other: string): string {
  const counted = (sections: Map<string, Section>) => new Map([...sections].filter(([, {type}]) => type !== 'gauge'));
  return written(summed(counted(readSections(one)), counted(readSections(other))));
}

/** An exposition with what was counted before. */
export function withCounts(one: string, counts: string): string {
  return written(summed(readSections(one), readSections(counts)));
}

function summed(sections: Map<string, Section>, others: ReadonlyMap<string, Section>): Map<string, Section> {
  for (const [name, section] of others) {
    const known = sections.get(name);
    if (known === undefined) sections.set(name, section);
    else for (const [series, value] of section.samples) known.samples.set(series, value + (known.samples.get(series) ?? 0));
  }
  return sections;
}

function written(sections: ReadonlyMap<string, Section>): string {
  let text = '';
  for (const {head, samples} of sections.values()) {
    for (const line of head) text += `${line}\n`;
    for (const [series, value] of samples) text += `${series} ${value}\n`;
    text += '\n';
  }
  return text;
}

function readSections(exposition: string): Map<string, Section> {
  const sections = new Map<string, Section>();
  let name = '';
  let head: string[] = [];
  for (const line of exposition.split('\n')) {
    if (line.startsWith('# HELP ')) {
      name = nameIn(line);
      head = [line];
    } else if (line.startsWith('# TYPE ')) {
      sections.set(name, {head: [...head, line], type: line.slice(line.lastIndexOf(' ') + 1), samples: new Map()});
    } else if (line !== '') {
      const [series, value] = sampleIn(line);
      sections.get(name)?.samples.set(series, value);
    }
  }
  return sections;
}

function nameIn(line: string): string {
  return line.split(' ', 3)[2] ?? '';
}

/** Neither of the two ever writes times of samples. */
function sampleIn(line: string): [series: string, value: number] {
  const space = line.lastIndexOf(' ');
  const text = line.slice(space + 1);
  return [line.slice(0, space), text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)];
}
