import {readFileSync} from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the firmware calls this machine; `undefined` where nobody says. */
export type ProductName = () => string | undefined;

const productFile = '/sys/class/dmi/id/product_name';

export const machineName: ProductName = () => {
  try {
    return readFileSync(productFile, 'utf8').trim();
  } catch {
    // Not shown to this process: the machine may be anybody's.
    return undefined;
  }
};

/**
 * What a cloud's provider lacks in the process's environment, without asking anybody; `undefined` when it may answer. Only
 * the metadata server that is on every machine of Google's needs no setting.
 */
export function lackOf(provider: string, environment: Environment, product: ProductName = machineName): string | undefined {
  const has = (...names: readonly string[]) => names.every(name => (environment[name] ?? '') !== '');
  switch (provider) {
    case 'amazon':
      if (has('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY') || has('AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE')) return undefined;
      return 'neither AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY nor AWS_ROLE_ARN with AWS_WEB_IDENTITY_TOKEN_FILE is set';
    case 'azure':
      if (has('AZURE_CLIENT_ID', 'AZURE_TENANT_ID', 'AZURE_FEDERATED_TOKEN_FILE')) return undefined;
      return 'AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_FEDERATED_TOKEN_FILE are not all set';
    case 'google': {
      const name = product();
      if (has('GCE_METADATA_HOST') || name === undefined || name.startsWith('Google')) return undefined;
      return 'this is no machine of Google, and GCE_METADATA_HOST is not set';
    }
    case 'github':
      return has('GITHUB_TOKEN') ? undefined : 'GITHUB_TOKEN is not set';
    default:
      return undefined;
  }
}
