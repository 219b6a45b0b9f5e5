interface AuditLine {
  readonly user?: {readonly username?: string};
  readonly verb: string;
  readonly requestURI: string;
  readonly responseStatus?: {readonly code?: number; readonly message?: string};
}

/** A right is there, and the namespace on its way out: the tests delete what they made. */
const terminating = /because it is being terminated$/;

/** `verb path` of what the API server refused the operator's service accounts, each once. */
export function forbidden(audit: string): string[] {
  const found = new Set<string>();
  for (const line of audit.split('\n')) {
    if (!line.includes('"code":403') || !line.includes('system:serviceaccount:kyverno:')) continue;
    const {user, verb, requestURI, responseStatus} = JSON.parse(line) as AuditLine;
    if (responseStatus?.code !== 403 || terminating.test(responseStatus.message ?? '')) continue;
    if (user?.username?.startsWith('system:serviceaccount:kyverno:')) found.add(`${verb} ${requestURI.split('?')[0]}`);
  }
  return [...found].toSorted();
}
