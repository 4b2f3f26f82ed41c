/**
 * Returns a URL for each host of a `postgres://` URL, in the order stated: `postgres://user:password@one:5432,two:5433/database`
 * names two servers of which one takes writes. A host without a port has 5432; one that begins with `%2F` is the folder of a Unix
 * socket. Throws TypeError if one of them is no URL.
 */
export function hostUrls(url: string): string[] {
  const [, scheme = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^@/]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.split(',').map(host => new URL(`${scheme}${host}${rest}`).href);
}

/** Tells whether each host of a URL gives a valid postgres:// URL. */
export function isDatabaseUrl(url: string): boolean {
  try {
    return hostUrls(url).every(
      host => /^postgres(ql)?:\/\/./.test(host) && decodeURIComponent(new URL(host).hostname) !== '',
    );
  } catch {
    return false;
  }
}

/** Formats a database for people, without credentials: `tocsin at one:5432, two:5432`. */
export function shownDatabase(url: string): string {
  const hosts = hostUrls(url).map(host => new URL(host));
  const places = hosts.map(({ hostname, port }) => `${decodeURIComponent(hostname)}:${port || 5432}`).join(', ');
  return `${hosts[0]!.pathname.slice(1) || 'no name'} at ${places}`;
}
