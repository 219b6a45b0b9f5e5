import {Counter, Gauge, type Registry} from 'prom-client';
import type {Clock} from '../../adapters/clock.js';
import type {Condition} from '../status/conditions.js';

/** Foreign edits of one configuration within a minute that are answered at once. */
export const maxEdits = 10;
export const windowMs = 60_000;
/** Beyond, it is written again this often at most. */
export const restMs = 10_000;

export interface ContestsOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  /** Somebody rewrites what we write: told once until a minute has passed without. */
  readonly onStart: (name: string, message: string) => void;
  /** The list of contested configurations is another one. */
  readonly onChange: () => void;
}

/** Keeps count of who else writes our webhook configurations, so that two who disagree do not wear out the API server. */
export interface Contests {
  /** Somebody else has changed the configuration; milliseconds to wait before it is written again, 0 = none. */
  edited(name: string): number;
  readonly contested: readonly string[];
  /** For the status of policies; empty when there is no contest. */
  conditions(): readonly Condition[];
}

interface Contest {
  edits: number[];
  restUntil: number;
  told: boolean;
}

export function createContests({clock, registry, onStart, onChange}: ContestsOptions): Contests {
  const contests = new Map<string, Contest>();
  const edits = new Counter({name: 'kyverno_webhook_foreign_edits_total', help: 'Changes to our webhook configurations by somebody else', labelNames: ['configuration'], registers: [registry]});
  new Gauge({
    name: 'kyverno_webhook_contested',
    help: 'Webhook configurations that somebody else keeps rewriting (1)',
    labelNames: ['configuration'],
    registers: [registry],
    collect() {
      this.reset();
      for (const name of contested()) this.labels(name).set(1);
    },
  });

  function contested(): string[] {
    return [...contests].flatMap(([name, {told}]) => (told ? [name] : [])).sort();
  }

  function recent({edits: all}: Contest): number[] {
    const now = clock.monotonic();
    return all.filter(at => now - at < windowMs);
  }

  function watch(name: string): void {
    clock.schedule(windowMs, () => {
      const contest = contests.get(name);
      if (contest === undefined) return;
      contest.edits = recent(contest);
      if (contest.edits.length > 0) return watch(name);
      contests.delete(name);
      if (contest.told) onChange();
    });
  }

  return {
    edited(name) {
      const now = clock.monotonic();
      let contest = contests.get(name);
      if (contest === undefined) {
        contests.set(name, (contest = {edits: [], restUntil: 0, told: false}));
        watch(name);
      }
      if (now < contest.restUntil) return contest.restUntil - now;
      edits.inc({configuration: name});
      contest.edits = [...recent(contest), now];
      if (contest.edits.length <= maxEdits) return 0;
      contest.restUntil = now + restMs;
      if (!contest.told) {
        contest.told = true;
        onStart(name, messageOf(name));
        onChange();
      }
      return 0;
    },
    get contested() {
      return contested();
    },
    conditions() {
      const names = contested();
      if (names.length === 0) return [];
      return [{type: 'WebhookContested', status: 'True', reason: 'RewrittenByOthers', message: names.map(messageOf).join('; ')}];
    },
  };
}

function messageOf(name: string): string {
  return `webhook configuration ${name} is being rewritten by somebody else, more than ${maxEdits} times within a minute; it is written back every ${restMs / 1000} s, and policies may not be enforced in between`;
}
