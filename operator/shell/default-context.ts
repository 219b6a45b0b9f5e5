const variables = ['KUBECONFIG', 'HOME'] as const;

/**
 * The operator framework's constructor loads the user's default kubeconfig. Between this call and the returned one the
 * environment names none, so that nothing of it is read; both belong into one turn of the event loop, and at its end the
 * environment is put back in any case.
 */
export function hideDefaultContext(env: NodeJS.ProcessEnv = process.env): () => void {
  const saved = new Map<string, string>();
  for (const name of variables) {
    const value = env[name];
    if (value === undefined) continue;
    saved.set(name, value);
    delete env[name];
  }
  const restore = () => {
    for (const [name, value] of saved) env[name] = value;
    saved.clear();
  };
  queueMicrotask(restore);
  return restore;
}
