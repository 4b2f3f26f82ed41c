/** What a browser says of where a request comes from. */
export interface Provenance {
  /** Sec-Fetch-Site; browsers send it over https and on localhost. */
  site: string | undefined;
  /** The page that asks: scheme, name and port. */
  origin: string | undefined;
  /** The name and port that were asked, as a trusted proxy or the request itself says. */
  host: string | undefined;
  /** The public URL of this deployment. */
  publicUrl: string;
}

/**
 * Whether a request comes from a page of our own (DECISIONS.md "Console door"). Where the browser does not say so itself, as over
 * plain http in a local network, its Origin is compared with the name that was asked, and with the public one: a proxy may ask us
 * by another.
 */
export function cameFrom({ site, origin, host, publicUrl }: Provenance): 'own_page' | 'elsewhere' {
  if (site !== undefined) return site === 'same-origin' ? 'own_page' : 'elsewhere';
  if (origin === undefined || !URL.canParse(origin)) return 'elsewhere';
  const asking = new URL(origin);
  const isOurs = origin === new URL(publicUrl).origin || (host !== undefined && asking.host === hostOf(host, asking));
  return isOurs ? 'own_page' : 'elsewhere';
}

/** Whether the line to the browser is encrypted: by us, or by a proxy, as the page's own address tells. */
export function lineOf(protocol: string, origin: string | undefined): 'encrypted' | 'open' {
  return protocol === 'https' || origin?.startsWith('https://') ? 'encrypted' : 'open';
}

/** As a URL has it: without the port that the scheme has anyway. */
function hostOf(host: string, { protocol }: URL): string | null {
  return URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : null;
}
