import type {Command} from 'commander';
import packageJson from '../../package.json' with {type: 'json'};

const unknown = '---';

export function registerVersion(program: Command): void {
  program
    .command('version')
    .description('show the version')
    .option('-o, --output <format>', 'json or yaml')
    .action((options: {readonly output?: string}) => {
      process.stdout.write(
        versionText({version: packageJson.version, time: unknown, gitCommitId: unknown}, options.output),
      );
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
