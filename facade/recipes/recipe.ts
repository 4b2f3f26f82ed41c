/** What a recipe is made for. */
export interface RecipeFor {
  kind: 'alarm' | 'panic_button';
  /** The id in its URLs, 32 characters. */
  id: string;
  /** Its name, as its owner wrote it. */
  name: string;
  /** The owner's own name for it in files: lower-case letters, digits and hyphens. */
  key: string;
  /** Where devices reach this deployment, without a slash at the end. */
  base: string;
  /** The secret of an API key, while it is shown for the only time. Null: the text says where it goes. */
  secret: string | null;
}

/** A recipe with the real id and address in it. */
export interface RecipeText {
  /** The file that it is, or the place where it goes. */
  file: string;
  text: string;
}

/** Stands where the secret of a key goes. */
export const PLACEHOLDER = 'toc_PUT_YOUR_KEY_HERE';

/** The URL that fires it. */
export function triggerUrl({ kind, id, base }: Pick<RecipeFor, 'kind' | 'id' | 'base'>): string {
  return `${base}/v1/${kind === 'alarm' ? 'alarm' : 'panic'}/${id}/trigger`;
}

/** The secret, or what stands for it. */
export function secretOf({ secret }: RecipeFor): string {
  return secret ?? PLACEHOLDER;
}

/** A name in the syntax of YAML, JSON and JavaScript, without what templates would take for theirs. */
export function quote(name: string): string {
  return JSON.stringify(name.replace(/[{}%<>\u2028\u2029]/g, ' ').trim());
}

/** The key as an identifier, such as `front_door`. */
export function slugOf({ key }: RecipeFor): string {
  return key.replaceAll('-', '_');
}

/** Where devices reach a deployment: what it is told to be, but an address of the network where that leads to its machine alone. */
export function baseOf(
  { publicUrl, networkUrls }: { publicUrl: string; networkUrls: readonly string[] },
  fallback: string,
) {
  return networkUrls[0] ?? (publicUrl || fallback);
}
