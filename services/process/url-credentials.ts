/** The signs that end the user and password of a URL, or part them, if they are not encoded. */
const ENCODED: Readonly<Record<string, string>> = { '#': '%23', '?': '%3F', '/': '%2F', '@': '%40' };

/**
 * Returns the signs in the user or password of a URL that have to be percent-encoded and are not, in their order: with one of them
 * a URL is read as another one, with part of the password as its host. A user may be a mail address: its `@` misleads nobody.
 */
export function unencodedIn(url: string): string[] {
  const rest = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/is.exec(url.trim())?.[1] ?? '';
  const credentials = rest.slice(0, Math.max(0, rest.lastIndexOf('@')));
  const [user = '', ...password] = credentials.split(/(?=:)/);
  const found = [...user.matchAll(/[#?/]/g), ...password.join('').matchAll(/[#?/@]/g)].map(([sign]) => sign);
  return [...new Set(found)];
}

/** Says what to do about such signs: `encode # as %23 and @ as %40`. Never shows what is around them. */
export function encodeThem(signs: readonly string[]): string {
  return `encode ${signs.map(sign => `${sign} as ${ENCODED[sign]}`).join(' and ')}`;
}
