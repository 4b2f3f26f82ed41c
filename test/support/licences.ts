import { readFileSync } from 'node:fs';

/** A package of package-lock.json, once for each version and place. */
export interface LockedPackage {
  name: string;
  version: string;
  /** SPDX expression as its maker states it; absent: none is stated. */
  license?: string;
  integrity?: string;
  resolved?: string;
  /** Only for building and testing. */
  dev?: boolean;
  hasInstallScript?: boolean;
}

/** Every package that npm may install here, those of other platforms included. */
export const LOCKED: readonly LockedPackage[] = lockedPackages();

/**
 * The licences that what runs may have, and what only builds and tests it. All let it be used and passed on under terms of
 * one's own; those of the tools besides ask that changes of the tool itself be published. Another one is for people to read
 * before it is added here.
 */
export const LICENCES = {
  product: [
    '(Apache-2.0 AND BSD-3-Clause)',
    '(MIT OR EUPL-1.1+)',
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'ISC',
    'MIT',
    'MIT-0',
    'Unlicense',
  ],
  tools: ['(MIT AND Zlib)', 'MIT OR Apache-2.0', 'MPL-2.0'],
};

/** Every package whose licence nobody has looked at, as a sentence each. */
export function unlistedLicences(packages: readonly LockedPackage[]): string[] {
  return packages.flatMap(({ name, version, license = 'no licence', dev }) => {
    const listed = dev ? [...LICENCES.product, ...LICENCES.tools] : LICENCES.product;
    if (listed.includes(license)) return [];
    return [`${name}@${version} has ${license}: read it, then list it in test/support/licences.ts, or do without.`];
  });
}

/** services/docs/LICENCES.md: the packages by licence, without versions, which `npm run sbom` has. */
export function licencesPage(packages: readonly LockedPackage[]): string {
  const rows = (of: 'product' | 'tools') => {
    const some = packages.filter(({ dev = false }) => dev === (of === 'tools'));
    const byLicence = Map.groupBy(some, ({ license = 'no licence' }) => license);
    return [...byLicence.entries()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([license, those]) => `| ${license} | ${[...new Set(those.map(({ name }) => name))].sort().join(', ')} |`);
  };
  const table = (of: 'product' | 'tools') => ['| Licence | Packages |', '|---|---|', ...rows(of)];
  return [
    '# Licences of the dependencies',
    '',
    'As their makers state them, made from package-lock.json by `npm run licences`; `npm run sbom` has versions and hashes. A licence',
    'that is not on the list of test/support/licences.ts fails test/supply.test.ts.',
    '',
    '## What runs',
    '',
    ...table('product'),
    '',
    '## What only builds and tests it',
    '',
    ...table('tools'),
    '',
    '## What is copied into the repository',
    '',
    '| Licence | Files |',
    '|---|---|',
    '| Apache-2.0 | proto/google/api, from google-proto-files, with its LICENSE beside it |',
    '',
  ].join('\n');
}

function lockedPackages(): LockedPackage[] {
  const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as {
    packages: Record<string, Omit<LockedPackage, 'name'> & { name?: string }>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({ ...entry, name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 13) }));
}
