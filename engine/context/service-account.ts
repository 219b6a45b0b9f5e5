const prefix = 'system:serviceaccount:';

/** Parts of `system:serviceaccount:<namespace>:<name>`; empty strings for any other user. */
export function parseServiceAccount(username: string): {name: string; namespace: string} {
  if (!username.startsWith(prefix)) return {name: '', namespace: ''};
  const [namespace = '', name = '', ...rest] = username.slice(prefix.length).split(':');
  return rest.length > 0 || name === '' ? {name: '', namespace: ''} : {name, namespace};
}
