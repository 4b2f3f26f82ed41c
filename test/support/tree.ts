import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A piece of a file, which stands there once, and what stands there in its place. */
export interface Replacement {
  file: string;
  was: string;
  is: string;
}

/** Returns the text with the piece replaced. Throws where it does not stand there exactly once. */
export function replacedIn(text: string, { file, was, is }: Replacement): string {
  const times = text.split(was).length - 1;
  if (times !== 1) throw new Error(`${file} holds ${times} times what is to be replaced: ${was}`);
  return text.replace(was, () => is);
}

/** Copies parts of this tree, with the packages it has, into a folder of its own; returns that. */
export async function copyTree(parts: readonly string[], replacements: readonly Replacement[]): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'tocsin-tree-'));
  for (const part of parts) await cp(join(ROOT, part), join(tree, part), { recursive: true });
  await mkdir(join(tree, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    // What Node compiles of this copy goes with it.
    if (name !== '.cache') await symlink(join(ROOT, 'node_modules', name), join(tree, 'node_modules', name));
  }
  for (const replacement of replacements) {
    const file = join(tree, replacement.file);
    await writeFile(file, replacedIn(await readFile(file, 'utf8'), replacement));
  }
  return tree;
}
