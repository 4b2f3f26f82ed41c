import { signal } from '@preact/signals';

/** The secret of the link that led here, until it is used or refused. Empty: there is none. */
export const linkSecret = signal('');

/** The same of a link that confirms an address, until its screen is left. */
export const confirmSecret = signal('');

/** The same of a link that signs in a second device, until it is used or its screen is left. */
export const phoneSecret = signal('');

/** Takes the secret of a link out of the address before anything else reads it. It stands behind the `#`, which no server ever sees. */
export function takeLink(): void {
  const secret = location.hash.slice(1);
  const kind = { tcl_: linkSecret, tcp_: phoneSecret, tcc_: confirmSecret }[secret.slice(0, 4)];
  if (kind === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  kind.value = secret;
}
