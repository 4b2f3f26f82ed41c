import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { FILE_SCHEMA } from '../../services/configuration/file/schema.ts';
import { generateInto } from './generated.ts';

/*
 * Fails when gen is not what the protos generate, or the published JSON Schema of the configuration file not what the rules
 * of its fields say, and says which files differ. Generates into a folder of its own, so the tree stays as it was, whatever
 * the outcome.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'tocsin-gen-'));
try {
  await generateInto(scratch);
  report([...differences(join(scratch, 'gen'), join(root, 'gen')), ...schemaDifference()]);
} catch (fault) {
  console.error(`gen could not be compared: ${fault instanceof Error ? fault.message : fault}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** One line for each file that only one side has, or that has other bytes. */
function differences(fresh: string, kept: string): string[] {
  const [generated, present] = [filesIn(fresh), filesIn(kept)];
  if (generated.size === 0) throw new Error('buf generated nothing: see proto/buf.gen.yaml.');
  const missing = [...generated.keys()].filter(file => !present.has(file)).map(file => `missing   gen/${file}`);
  const left = [...present.keys()].filter(file => !generated.has(file)).map(file => `left over gen/${file}`);
  const changed = [...generated].filter(([file, bytes]) => present.get(file)?.equals(bytes) === false);
  return [...missing, ...left, ...changed.map(([file]) => `differs   gen/${file}`)];
}

/** Compared as values: how it is laid out is the formatter's. */
function schemaDifference(): string[] {
  const path = 'facade/docs/config.schema.json';
  const published: unknown = JSON.parse(readFileSync(join(root, path), 'utf8'));
  return isDeepStrictEqual(published, JSON.parse(JSON.stringify(FILE_SCHEMA))) ? [] : [`differs   ${path}`];
}

function filesIn(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  const paths = entries.map(entry => join(entry.parentPath, entry.name));
  return new Map(paths.map(path => [relative(folder, path), readFileSync(path)]));
}

function report(lines: string[]): void {
  if (lines.length === 0) return;
  console.error(
    `What is generated is not up to date:\n  ${lines.join('\n  ')}\nRun "npm run generate" and commit what it writes.`,
  );
  process.exitCode = 1;
}
