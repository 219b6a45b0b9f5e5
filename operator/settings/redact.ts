const userInfo = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s"'@]*@/gi;
const query = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s"'?#]*)\?[^\s"'#]*/gi;

/** A setting's text as it may be shown: URLs without credentials and without query, which may carry tokens. */
export function redactSetting(text: string): string {
  return text.replace(userInfo, '$1***@').replace(query, '$1?***');
}
