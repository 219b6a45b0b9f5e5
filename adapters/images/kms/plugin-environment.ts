type Environment = Readonly<Record<string, string | undefined>>;

/** What programs need to run and to reach their service. */
const always = ['HOME', 'PATH', 'TMPDIR', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

/**
 * The part of an environment that plug-ins see: `names` beside what all programs need. `AWS_*` stands for all that begin so.
 * `flag` names the setting in messages.
 */
export function pluginEnvironment(environment: Environment, names: readonly string[], flag: string): Readonly<Record<string, string>> {
  for (const name of names) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(name)) throw new Error(`${flag}: ${JSON.stringify(name)} is no name of a variable`);
  }
  const prefixes = names.filter(name => name.endsWith('*')).map(name => name.slice(0, -1));
  const whole = new Set([...always, ...names]);
  const isMeant = (name: string) => whole.has(name) || prefixes.some(prefix => name.startsWith(prefix));
  return Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => isMeant(entry[0]) && entry[1] !== undefined));
}
