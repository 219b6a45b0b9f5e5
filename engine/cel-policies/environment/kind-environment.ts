import type {Environment} from '../../cel/environment.js';
import type {Value} from '../../cel/values/value.js';
import type {Slots} from '../run/scope.js';

/** The environment of a kind of policy, with the values of its variables that no request changes. */
export interface KindEnvironment {
  readonly environment: Environment;
  readonly contexts: Readonly<Record<string, Value>>;
  readonly has: {
    readonly exceptions: boolean;
    readonly params: boolean;
    readonly generator: boolean;
    readonly authorizer: boolean;
    readonly images?: boolean;
  };
}

export function slotsOf(environment: Environment, has: KindEnvironment['has']): Slots {
  return {
    object: environment.slot('object'),
    oldObject: environment.slot('oldObject'),
    request: environment.slot('request'),
    namespaceObject: environment.slot('namespaceObject'),
    variables: environment.slot('variables'),
    exceptions: has.exceptions ? environment.slot('exceptions') : undefined,
    ...imageSlots(environment, has.images === true),
    params: has.params ? environment.slot('params') : undefined,
    generator: has.generator ? environment.slot('generator') : undefined,
    authorizer: has.authorizer ? environment.slot('authorizer') : undefined,
    requestResource: has.authorizer ? environment.slot('authorizer.requestResource') : undefined,
  };
}

function imageSlots(environment: Environment, has: boolean): Pick<Slots, 'images' | 'attestors' | 'attestations'> {
  const slot = (name: string) => (has ? environment.slot(name) : undefined);
  return {images: slot('images'), attestors: slot('attestors'), attestations: slot('attestations')};
}

export function templateOf(
  environment: Environment,
  contexts: Readonly<Record<string, Value>>,
): Array<Value | undefined> {
  const template: Array<Value | undefined> = [];
  for (const [name, value] of Object.entries(contexts)) template[environment.slot(name)] = value;
  return Array.from(template);
}
