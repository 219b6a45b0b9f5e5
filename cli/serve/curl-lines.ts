import {existsSync} from 'node:fs';

const samples = 'docs/samples/requests';

/** Three requests to try: one denied, one allowed, one patched by the sample policies. */
export function curlLines(url: string, caFile: string): string[] {
  if (!existsSync(samples)) return [`try: curl --cacert ${caFile} ${url}/health/readiness`];
  const curl = (path: string, file: string) =>
    `curl -sS --cacert ${caFile} -H 'Content-Type: application/json' -d @${samples}/${file} '${url}${path}?timeout=10s'`;
  return [
    'denied:',
    `  ${curl('/validate/fail', 'denied.json')}`,
    'allowed:',
    `  ${curl('/validate/fail', 'allowed.json')}`,
    'patched:',
    `  ${curl('/mutate/fail', 'patched.json')}`,
  ];
}
