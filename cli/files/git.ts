import {spawn} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {FileError, messageOf} from './file-error.js';

export interface GitSource {
  readonly repository: string;
  readonly branch: string;
  /** Folder inside the repository; empty for all of it. */
  readonly folder: string;
}

export function isGitUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}

/**
 * `https://host/owner/repo[/rest]`: with a branch given, `rest` is a folder of it; without one, `rest` is the branch
 * (`main` when there is none) and all of the repository is meant.
 */
export function parseGitUrl(url: string, branch: string | undefined): GitSource {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new FileError(`${url}: not a valid URL`);
  }
  const [owner, repository, ...rest] = parsed.pathname.split('/').filter(part => part !== '');
  if (owner === undefined || repository === undefined) {
    throw new FileError(`${url}: invalid URL path ${parsed.pathname}, expected https://host/owner/repository[/branch]`);
  }
  const tail = rest.join('/');
  const base = `${parsed.protocol}//${parsed.host}/${owner}/${repository}`;
  return branch ? {repository: base, branch, folder: tail} : {repository: base, branch: tail || 'main', folder: ''};
}

export interface CloneOptions {
  readonly branch?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly onProgress?: (text: string) => void;
}

/** A shallow clone of the one branch; runs `use` on the wanted folder and removes the clone afterwards. */
export async function withClone<T>(
  url: string,
  options: CloneOptions,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const source = parseGitUrl(url, options.branch);
  if (source.folder.split('/').includes('..'))
    throw new FileError(`${url}: the folder must stay inside the repository`);
  const target = await mkdtemp(join(tmpdir(), 'kyverno-git-'));
  try {
    await clone(source, target, options);
    return await use(join(target, source.folder));
  } finally {
    await rm(target, {recursive: true, force: true});
  }
}

async function clone({repository, branch}: GitSource, target: string, options: CloneOptions): Promise<void> {
  const credentials = options.username && options.password ? credentialArguments : [];
  // `--` and the checked form of both keep a branch or address from being read as an option.
  const args = [
    ...credentials,
    'clone',
    '--depth',
    '1',
    '--single-branch',
    `--branch=${branch}`,
    '--',
    repository,
    target,
  ];
  options.onProgress?.(`Cloning ${repository} (branch ${branch}) ...\n`);
  const {code, stderr} = await runGit(args, options);
  if (code !== 0)
    throw new FileError(
      `failed to clone ${repository} (branch ${branch}): ${stderr.trim() || `git ended with ${code}`}`,
    );
}

/** The password reaches git by the environment: the command line is visible to all users of the machine. */
const credentialArguments = [
  '-c',
  'credential.helper=',
  '-c',
  'credential.helper=!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$KYVERNO_GIT_USERNAME" "$KYVERNO_GIT_PASSWORD"; }; f',
];

function runGit(
  args: readonly string[],
  options: CloneOptions,
): Promise<{readonly code: number; readonly stderr: string}> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        GIT_TERMINAL_PROMPT: '0',
        KYVERNO_GIT_USERNAME: options.username ?? '',
        KYVERNO_GIT_PASSWORD: options.password ?? '',
      },
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-4096);
    });
    child.on('error', error => reject(new FileError(`git cannot be started: ${messageOf(error)}`)));
    child.on('close', code => resolve({code: code ?? 1, stderr}));
  });
}
