import {setTimeout as delay} from 'node:timers/promises';
import type {Cluster} from '../../cluster/cluster.js';
import type {Thing} from '../../e2e/support/policies.js';
import {configMap} from '../../e2e/support/samples.js';
import {owned} from './world.js';

interface Question {
  readonly what: string;
  readonly object: Thing;
  /** A part of the refusal; undefined: let in, with the labels that mutations put. */
  readonly refusal?: string;
}

const questions: readonly Question[] = [
  {what: 'an owner and a low level', object: owned('asked')},
  {what: 'no owner', object: configMap('asked'), refusal: 'label owner is missing'},
  {what: 'no owner, excepted', object: configMap('guest-asked')},
  {what: 'a forbidden level', object: owned('asked', {level: 'forbidden'}), refusal: 'this level is forbidden'},
];

/** What is answered wrongly; empty when all is right. */
export async function wrongAnswers(cluster: Pick<Cluster, 'request'>): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const {what, object, refusal} of questions) {
    const {status, body} = await cluster.request<Thing & {readonly message?: string}>('POST', '/api/v1/namespaces/shop/configmaps?dryRun=All', object);
    const {labels = {}} = body.metadata ?? {};
    const isRight = refusal === undefined ? status === 201 && labels['stamped'] === 'yes' && labels['celstamped'] === 'yes' : status === 400 && body.message?.includes(refusal) === true;
    if (!isRight) wrong.push(`${what}: ${status} ${body.message ?? JSON.stringify(labels)}`);
  }
  return wrong;
}

/** Asks on and on while something happens; resolves with all wrong answers, and how often all was asked. */
export async function askedMeanwhile(cluster: Pick<Cluster, 'request'>, happens: () => Promise<void>): Promise<{readonly wrong: readonly string[]; readonly rounds: number}> {
  const wrong: string[] = [];
  let rounds = 0;
  let goesOn = true;
  const asking = (async () => {
    while (goesOn) {
      wrong.push(...(await wrongAnswers(cluster)));
      rounds += 1;
      await delay(100);
    }
  })();
  try {
    await happens();
  } finally {
    goesOn = false;
    await asking;
  }
  return {wrong, rounds};
}
