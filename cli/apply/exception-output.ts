import {parseJson} from '../../engine/json/index.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {isObject} from '../../engine/json/types.js';
import {formatDuration} from '../../engine/values/duration.js';
import {keyOf, type PolicyResponse, type RuleResponse} from '../offline/responses.js';

/** One PolicyException for each failed result of a cluster-wide policy; `ttl` in nanoseconds, none when not positive. */
export function exceptionsFor(responses: readonly PolicyResponse[], ttl: bigint): readonly JsonObject[] {
  return responses
    .filter(({policy}) => policy.family === 'classic' && policy.namespace === '')
    .flatMap(response =>
      response.rules.filter(rule => rule.status === 'fail').map(rule => exceptionFor(response, rule, ttl)),
    );
}

function exceptionFor(response: PolicyResponse, rule: RuleResponse, ttl: bigint): JsonObject {
  const {kind, name, namespace} = keyOf(response.resource);
  const derived = /^autogen-(cronjob-)?/.exec(rule.rule);
  const base = derived === null ? rule.rule : rule.rule.slice(derived[0].length);
  const kinds = derived === null ? [kind] : [kind, ...(kind === 'CronJob' ? ['Job'] : []), 'Pod'];
  const controls = podSecurityControls(rule);
  return {
    apiVersion: 'kyverno.io/v2beta1',
    kind: 'PolicyException',
    metadata: {
      name: [response.policy.name, rule.rule, ...(namespace === '' ? [] : [namespace]), name].join('-'),
      ...(namespace !== '' && {namespace}),
      ...(ttl > 0n && {labels: {'cleanup.kyverno.io/ttl': formatDuration(ttl)}}),
    },
    spec: {
      exceptions: [{policyName: response.policy.key, ruleNames: derived === null ? [rule.rule] : [rule.rule, base]}],
      match: {
        all: [
          {
            resources: {
              kinds,
              names: derived === null ? [name] : [name, `${name}-*`],
              ...(namespace !== '' && {namespaces: [namespace]}),
            },
          },
        ],
      },
      ...(controls !== undefined && {podSecurity: controls}),
    },
  };
}

/** Violated pod security controls; images without their tags and digests. */
function podSecurityControls(rule: RuleResponse): Json[] | undefined {
  const text = rule.properties['controlsJSON'];
  if (text === undefined) return undefined;
  const controls = parseJson(text);
  if (!Array.isArray(controls)) return undefined;
  const found = new Map<string, JsonObject>();
  for (const control of controls) {
    if (!isObject(control)) continue;
    const name = control['Name'];
    if (typeof name !== 'string') continue;
    const images = Array.isArray(control['Images']) ? control['Images'].filter(image => typeof image === 'string') : [];
    found.set(name, {controlName: name, ...(images.length > 0 && {images: images.map(anyTag)})});
  }
  return found.size === 0 ? undefined : [...found.values()];
}

function anyTag(image: string): string {
  const [path = ''] = image.split('@');
  const slash = path.lastIndexOf('/');
  const colon = path.indexOf(':', slash);
  return `${colon === -1 ? path : path.slice(0, colon)}*`;
}
