import {type Places, placesOf, policies} from './policies.js';
import type {Thing} from './things.js';

export type Step =
  | {readonly what: 'put'; readonly object: Thing; readonly text: string}
  | {readonly what: 'drop'; readonly object: Thing; readonly text: string}
  | {readonly what: 'poke'; readonly object: Thing; readonly patch: object; readonly text: string}
  | {readonly what: 'kill'; readonly text: string}
  | {readonly what: 'pause'; readonly ms: number; readonly text: string};

export const stepsOfSeed = 40;
const triggerNames = ['t1', 't2', 't3'];

/** What a user does, the same for the same seed; every other seed kills the leader at one step. */
export function stepsOf(seed: number): Step[] {
  const pick = random(seed);
  const places = placesOf(seed);
  const killAt = seed % 2 === 0 ? 5 + pick(stepsOfSeed - 10) : undefined;
  const steps: Step[] = [];
  for (let count = 0; count < stepsOfSeed; count += 1) {
    steps.push(step(places, pick));
    if (count === killAt) steps.push({what: 'kill', text: 'the leader is killed'});
    if (pick(4) === 0) steps.push({what: 'pause', ms: pick(600), text: 'a pause'});
  }
  return steps;
}

function random(seed: number): (below: number) => number {
  let state = (seed * 7_919) % 2_147_483_648;
  return below => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function step(places: Places, pick: (below: number) => number): Step {
  const choose = <T>(items: readonly T[]): T => items[pick(items.length)]!;
  switch (pick(10)) {
    case 0:
    case 1:
    case 2: {
      const labels = {...(pick(3) > 0 && {team: choose(['red', 'blue'])}), ...(pick(2) > 0 && {copies: 'yes'}), ...(pick(2) > 0 && {zone: choose(['a', 'b'])})};
      const object = {...configMap(places.triggers, choose(triggerNames), labels), data: {level: choose(['1', '2']), ...(pick(2) > 0 && {parts: choose(['x', 'x,y', 'y,z'])})}};
      return {what: 'put', object, text: `trigger ${object.metadata.name} ${JSON.stringify(labels)} ${JSON.stringify(object.data)}`};
    }
    case 3: {
      const object = configMap(places.triggers, choose(triggerNames));
      return {what: 'drop', object, text: `no trigger ${object.metadata.name}`};
    }
    case 4: {
      const origin: Thing = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'origin', namespace: places.sources}};
      if (pick(3) === 0) return {what: 'drop', object: origin, text: 'no origin'};
      const key = choose(['QQ==', 'Qg==']);
      return {what: 'put', object: {...origin, data: {key}}, text: `origin ${key}`};
    }
    case 5: {
      const name = choose(['c1', 'c2']);
      if (pick(3) === 0) return {what: 'drop', object: configMap(places.sources, name), text: `no source ${name}`};
      const labels = pick(3) > 0 ? {share: 'yes'} : {};
      const data = {v: choose(['1', '2'])};
      return {what: 'put', object: {...configMap(places.sources, name, labels), data}, text: `source ${name} ${JSON.stringify(labels)} ${JSON.stringify(data)}`};
    }
    case 6: {
      const object = madeObject(places, choose);
      return {what: 'poke', object, patch: {data: {extra: 'QQ=='}, metadata: {labels: {mine: 'yes'}}}, text: `${object.metadata.name} changed by hand`};
    }
    case 7: {
      const object = madeObject(places, choose);
      return {what: 'drop', object, text: `${object.metadata.name} deleted by hand`};
    }
    default: {
      const name = choose(Object.keys(policies));
      const variant = pick(3);
      const object = policies[name]!(places, variant);
      return pick(3) === 0 ? {what: 'drop', object, text: `no policy ${name}`} : {what: 'put', object, text: `policy ${name} ${variant}`};
    }
  }
}

/** One that a policy may have made. */
function madeObject({made}: Places, choose: <T>(items: readonly T[]) => T): Thing {
  const trigger = choose(triggerNames);
  const name = choose([`first-${trigger}`, `second-${trigger}`, `copied-${trigger}`, `part-${trigger}-y`, `cel-${trigger}`, 'c1', 'c2']);
  return name.startsWith('copied-') ? {apiVersion: 'v1', kind: 'Secret', metadata: {name, namespace: made}} : configMap(made, name);
}

function configMap(namespace: string, name: string, labels: object = {}): Thing & {readonly data: object} {
  return {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name, namespace, labels}, data: {}};
}
