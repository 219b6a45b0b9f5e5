import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {ensureBuilt} from '../e2e/support/build.js';
import {program} from './support/serve-process.js';

const folder = mkdtempSync(join(tmpdir(), 'bad-input-'));
const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b}]}\n';
const policy = (pattern: string) =>
  `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {message: m, pattern: ${pattern}}\n`;

function put(name: string, text: string | Uint8Array): void {
  writeFileSync(join(folder, name), text);
}

/** Runs a shell line in the folder, with `kyverno` the bundle; one that hangs is ended and has no status. */
function shell(line: string) {
  const script = `kyverno() { "${process.execPath}" "${program}" "$@"; }\n${line}`;
  return spawnSync('bash', ['-c', script], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 90_000,
    killSignal: 'SIGKILL',
    maxBuffer: 64 << 20,
  });
}

beforeAll(async () => {
  await ensureBuilt();
  put('good.yaml', policy('{metadata: {name: "?*"}}'));
  put('failing.yaml', policy('{metadata: {name: zz}}'));
  put('pod.yaml', pod);
  put('utf16.yaml', Buffer.from(`\uFEFF${pod}`, 'utf16le'));
  put('list.yaml', 'apiVersion: v1\nkind: List\nitems: {a: b}\n');
  put(
    'lists.yaml',
    `apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: z}}]}]\n`,
  );
  put('helm.yaml', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.x }}\n');
  put('twice.yaml', `${pod}kind: Pod\n`);
  put('big.yaml', pod.replace('image: b', `image: "${'x'.repeat(10 << 20)}"`));
  put('larger.yaml', `# ${'x'.repeat(33 << 20)}\n${pod}`);
  put('deep.yaml', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`);
  put('comments.yaml', '# nothing\n---\n# here\n');
  symlinkSync('nowhere', join(folder, 'broken.yaml'));
  symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
  mkdirSync(join(folder, 'tree'));
  for (const link of ['again', 'once-more']) symlinkSync('../tree', join(folder, 'tree', link));
  symlinkSync('nowhere', join(folder, 'tree/broken.yaml'));
  put('tree/good.yaml', policy('{metadata: {name: "?*"}}'));
  mkdirSync(join(folder, 'folder.yaml'));
  spawnSync('mkfifo', [join(folder, 'pipe.yaml'), join(folder, 'tree/pipe.yaml')]);
});

afterAll(() => rmSync(folder, {recursive: true, force: true}));

interface Case {
  readonly title: string;
  readonly line: string;
  readonly status: number;
  readonly stdout?: RegExp;
  readonly stderr: RegExp;
}

const apply = 'kyverno apply good.yaml -r';
const none = /^$/;
const onePass = /pass: 1, fail: 0/;

const cases: readonly Case[] = [
  {
    title: 'a pipe that nobody writes to',
    line: `${apply} pipe.yaml`,
    status: 1,
    stderr: /^Error: .*pipe\.yaml: is not a regular file/,
  },
  {
    title: 'a pipe for values',
    line: `${apply} pod.yaml -f pipe.yaml`,
    status: 1,
    stderr: /pipe\.yaml: is not a regular file/,
  },
  {title: 'a device without end', line: `${apply} /dev/zero`, status: 1, stderr: /zero: is not a regular file/},
  {title: 'a substituted process is read', line: `${apply} <(cat pod.yaml)`, status: 0, stdout: onePass, stderr: none},
  {
    title: 'input without end',
    line: `yes 'a: b' | ${apply} -`,
    status: 1,
    stderr: /^Error: read stdin: larger than \d+ bytes\n$/,
  },
  {
    title: 'a query on input without end',
    line: 'kyverno jp query a < /dev/zero',
    status: 1,
    stderr: /larger than \d+ bytes/,
  },
  {title: 'no input at all', line: `${apply} - <&-`, status: 0, stdout: /to 0 resource/, stderr: none},
  {
    title: 'a file that is too large',
    line: `${apply} larger.yaml`,
    status: 1,
    stderr: /larger\.yaml: larger than \d+ bytes/,
  },
  {title: 'a text of ten megabytes is judged', line: `${apply} big.yaml`, status: 0, stdout: onePass, stderr: none},
  {
    title: 'deep nesting',
    line: `${apply} deep.yaml`,
    status: 1,
    stderr: /^Error: deep\.yaml:1:\d+: nested too deeply\n$/,
  },
  {
    title: 'a link to nothing',
    line: `${apply} broken.yaml`,
    status: 1,
    stderr: /broken\.yaml: no such file or directory/,
  },
  {
    title: 'a link to itself',
    line: `${apply} loop.yaml`,
    status: 1,
    stderr: /loop\.yaml: links that lead to themselves/,
  },
  {
    title: 'a folder for a file',
    line: `${apply} pod.yaml -e folder.yaml`,
    status: 1,
    stderr: /folder\.yaml: is a directory/,
  },
  {
    title: 'a folder of links in a circle, a pipe, a broken link: the policy beside them counts',
    line: 'kyverno apply tree -r pod.yaml',
    status: 0,
    stdout: onePass,
    stderr: /Warning: .*tree\/broken\.yaml.*\nWarning: .*tree\/pipe\.yaml/,
  },
  {
    title: 'policies that are none',
    line: 'kyverno apply comments.yaml -r pod.yaml',
    status: 0,
    stderr: /^Warning: comments\.yaml: holds no policy\n$/,
  },
  {title: 'UTF-16', line: `${apply} utf16.yaml`, status: 1, stderr: /not valid UTF-8 but UTF-16; save it as UTF-8/},
  {
    title: 'a List of no list',
    line: `${apply} list.yaml`,
    status: 1,
    stderr: /^Error: list\.yaml:1: items of a List must be a list\n$/,
  },
  {title: 'a List of Lists', line: `${apply} lists.yaml`, status: 0, stdout: onePass, stderr: none},
  {
    title: 'a template',
    line: `${apply} helm.yaml`,
    status: 1,
    stderr: /^Error: helm\.yaml:4:10: .*a template wants rendering\n$/,
  },
  {
    title: 'a key given twice',
    line: `${apply} twice.yaml`,
    status: 0,
    stdout: onePass,
    stderr: /^Warning: twice\.yaml:5: key kind is given twice; the last one stands\n$/,
  },
  {
    title: 'a reader that has seen enough',
    line: 'kyverno jp function | head -1; exit ${PIPESTATUS[0]}',
    status: 0,
    stderr: none,
  },
  {
    title: 'a reader that has seen enough of a failure',
    line: 'kyverno apply failing.yaml -r pod.yaml | head -c 1; exit ${PIPESTATUS[0]}',
    status: 1,
    stderr: none,
  },
  {
    title: 'a full disk',
    line: `[ -e /dev/full ] || { echo "Error: write standard output: ENOSPC" >&2; exit 1; }; ${apply} pod.yaml > /dev/full`,
    status: 1,
    stderr: /^Error: write standard output: .*ENOSPC/,
  },
  {title: 'closed output', line: `${apply} pod.yaml >&-`, status: 0, stderr: none},
  {
    title: 'a language with letters of its own',
    line: `env LC_ALL=tr_TR.UTF-8 "${process.execPath}" "${program}" apply good.yaml -r pod.yaml`,
    status: 0,
    stdout: onePass,
    stderr: none,
  },
];

describe('bad input ends with a clear error, in time', () => {
  it.each(cases)('$title', ({line, status, stdout, stderr}) => {
    const found = shell(line);
    expect({status: found.status, stderr: found.stderr}).toEqual({status, stderr: expect.stringMatching(stderr)});
    if (stdout) expect(found.stdout).toMatch(stdout);
    expect(found.stdout + found.stderr).not.toMatch(/\n\s+at .*[:(]\d+/);
  });
});
