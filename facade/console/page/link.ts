import { signal } from '@preact/signals';

/** The secret of the link that led here, until it is used or refused. Empty: there is none. */
export const linkSecret = signal('');

/**
 * Takes the secret of a link out of the address, before anything else reads that. It stands behind the `#`, which no server ever
 * sees.
 */
export function takeLink(): void {
  const secret = location.hash.slice(1);
  if (!secret.startsWith('tcl_')) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  linkSecret.value = secret;
}
