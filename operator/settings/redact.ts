const userInfo = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s"'@]*@/gi;
const query = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s"'?#]*)\?[^\s"'#]*/gi;

/** A status holds every setting: a ConfigMap's long lists are told by their beginning. */
const longest = 1_000;

/** A setting's text as it may be shown: URLs without credentials and without query, which may carry tokens; not too long. */
export function redactSetting(text: string): string {
  const shown = text.replace(userInfo, '$1***@').replace(query, '$1?***');
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
}
