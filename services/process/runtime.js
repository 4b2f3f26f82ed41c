// Runs whenever npm has changed node_modules: as the script `dependencies`, which npx, unlike `postinstall`, does not run again.
// The Node that the product runs on is one of package.json's optional dependencies, a package for each platform, so that
// package-lock.json holds the hash of every one of them. npm passes over an optional package that it could not fetch, or whose
// bytes are not those of the lock, without a word: this says it, before anything runs on another Node. It also gives the one
// that is there the same place everywhere: node_modules/node. Plain JavaScript, because the Node of the machine may be too old
// for the rest.
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const packages = new URL('node_modules/', root);
const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const name = Object.keys(optionalDependencies).find(one => one.endsWith(`-${platform}`));

if (name === undefined) {
  const platforms = Object.keys(optionalDependencies).map(one => one.slice('node-'.length));
  fail(`Tocsin brings no Node for ${platform}: install it on ${platforms.join(', ')}.`);
} else if (existsSync(new URL(`${name}/bin`, packages))) {
  const link = fileURLToPath(new URL('node', packages));
  rmSync(link, { recursive: true, force: true });
  // A junction is what Windows lets everybody make; elsewhere it is a plain link.
  symlinkSync(name, link, 'junction');
} else {
  fail(
    `npm did not install ${name}@${optionalDependencies[name]}: it could not be fetched, or is not what package-lock.json says. ` +
      'Run npm ci again, without --omit=optional.',
  );
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
