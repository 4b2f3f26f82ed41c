/** Looks for every planted bug in a copy of the tree. */
export async function hunt(_wanted: { seeds: number; only: readonly string[] }): Promise<'fine' | 'violated'> {
  throw new Error('Nothing is planted yet.');
}
