import {isObject, type Json, type JsonObject} from '../../../engine/json/types.js';
import type {Cluster} from '../../cluster/cluster.js';

/** `kubectl apply` of a file, and every object that it really put on the wire. */
export async function applyAndListen(
  cluster: Pick<Cluster, 'kubectl'>,
  file: string,
): Promise<{readonly code: number; readonly stderr: string; readonly sent: readonly JsonObject[]}> {
  const {code, stderr} = await cluster.kubectl(['apply', '-v=10', '-f', file], {allowFailure: true});
  return {code, stderr, sent: requestBodies(stderr).filter(body => Object.hasOwn(body, 'kind'))};
}

/** Bodies of requests in kubectl's log of verbosity 10: as they are at first (1.30), later quoted, now indented. */
function requestBodies(log: string): JsonObject[] {
  const bodies: JsonObject[] = [];
  for (const match of log.matchAll(/(?:"Request Body".*? body=(?:<\n\t(.*)\n|(".+"))|\] Request Body: (\{.*\})$)/gm)) {
    const body = JSON.parse(match[1] ?? match[3] ?? (JSON.parse(match[2]!) as string)) as Json;
    if (isObject(body)) bodies.push(body);
  }
  return bodies;
}
