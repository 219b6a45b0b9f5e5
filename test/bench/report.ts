import type {Figures} from './measure.js';

/** A table of figures; the engine's share is what a case costs above `baseline` on the same body. */
export function figuresTable(figures: readonly Figures[], baseline: string): string {
  const rows = figures.map(figure => {
    const base = figures.find(other => other.target === baseline && other.body === figure.body);
    const share = base === undefined || base === figure ? '' : (figure.cpu - base.cpu).toFixed(3);
    const {allowed, denied} = figure;
    const answer = denied === 0 ? 'allowed' : allowed === 0 ? 'denied' : `${allowed} allowed, ${denied} denied`;
    return [
      figure.target,
      figure.body,
      answer,
      figure.cpu.toFixed(3),
      share,
      figure.perSecond.toFixed(0),
      figure.p50.toFixed(1),
      figure.p99.toFixed(1),
      figure.rss.toFixed(0),
    ];
  });
  return markdown(
    ['policies', 'body', 'answer', 'CPU ms/request', 'engine share', 'requests/s', 'p50 ms', 'p99 ms', 'RSS MiB'],
    rows,
  );
}

/** A table. */
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}
