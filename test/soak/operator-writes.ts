import {closeSync, openSync, readSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Cluster} from '../cluster/cluster.js';

/** One write of the operator's, as the API server's audit log has it. */
export interface OperatorWrite {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly code: number;
}

const writeVerbs = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Questions in the form of writes. */
const questions = new Set(['authorization.k8s.io', 'authentication.k8s.io']);
const operatorUser = 'system:serviceaccount:kyverno:';

/**
 * Reads the audit log from now on: each call tells what the operator wrote since the call before. Leases are left out by
 * the audit policy. Needs a cluster with `auditLog`.
 */
export function operatorWrites(cluster: Pick<Cluster, 'dir'>): () => OperatorWrite[] {
  const file = join(cluster.dir, 'audit.log');
  let at = statSync(file).size;
  let rest = '';
  return () => {
    const found: OperatorWrite[] = [];
    const {size} = statSync(file);
    const handle = openSync(file, 'r');
    try {
      const buffer = Buffer.alloc(8 * 1024 * 1024);
      while (at < size) {
        const length = readSync(handle, buffer, 0, Math.min(buffer.length, size - at), at);
        if (length === 0) break;
        at += length;
        const lines = (rest + buffer.toString('latin1', 0, length)).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const write = line.includes(operatorUser) ? writeOf(line) : undefined;
          if (write !== undefined) found.push(write);
        }
      }
    } finally {
      closeSync(handle);
    }
    return found;
  };
}

/** `3 create policyreports.wgpolicyk8s.io`, for messages. */
export function summary(writes: readonly OperatorWrite[]): string {
  const counts = new Map<string, number>();
  for (const {verb, group, resource, subresource, code} of writes) {
    const text = `${verb} ${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}${code >= 400 ? ` (${code})` : ''}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} ${text}`).join(', ') || 'nothing';
}

function writeOf(line: string): OperatorWrite | undefined {
  const {user, verb, objectRef = {}, responseStatus = {}} = JSON.parse(line) as {
    readonly user?: {readonly username?: string};
    readonly verb: string;
    readonly objectRef?: {readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string; readonly name?: string};
    readonly responseStatus?: {readonly code?: number};
  };
  const {apiGroup: group = '', resource = '', subresource = '', name = ''} = objectRef;
  if (user?.username?.startsWith(operatorUser) !== true || !writeVerbs.has(verb) || questions.has(group)) return undefined;
  return {verb, group, resource, subresource, name, code: responseStatus.code ?? 0};
}
