import type {Command} from 'commander';
import packageJson from '../../package.json' with {type: 'json'};

/** Written in by the build; empty when it could not know. */
declare const KYVERNO_BUILD_TIME: string | undefined;
declare const KYVERNO_BUILD_COMMIT: string | undefined;

const unknown = '---';

/** What this program was built from; `---` for what is not known, as when it runs from its sources. */
function buildInfo(): VersionInfo {
  const time = typeof KYVERNO_BUILD_TIME === 'string' ? KYVERNO_BUILD_TIME : '';
  const commit = typeof KYVERNO_BUILD_COMMIT === 'string' ? KYVERNO_BUILD_COMMIT : '';
  return {version: packageJson.version, time: time || unknown, gitCommitId: commit || unknown};
}

export function registerVersion(program: Command): void {
  program
    .command('version')
    .description('show the version')
    .option('-o, --output <format>', 'json or yaml')
    .action((options: {readonly output?: string}) => {
      process.stdout.write(versionText(buildInfo(), options.output));
    });
}

interface VersionInfo {
  readonly version: string;
  readonly time: string;
  readonly gitCommitId: string;
}

export function versionText(info: VersionInfo, format: string | undefined): string {
  switch (format) {
    case undefined:
    case '':
      return `Version: ${info.version}\nTime: ${info.time}\nGit commit ID: ${info.gitCommitId}\n`;
    case 'json':
      return `${JSON.stringify(info, null, 2)}\n`;
    case 'yaml':
      return Object.entries(info)
        .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
        .join('');
    default:
      throw new Error(`invalid output format ${JSON.stringify(format)}, expected json or yaml`);
  }
}
