import { networkInterfaces } from 'node:os';
import { isThisMachine } from './this-machine.ts';

/** Whom the links in messages lead anywhere: everybody, only who sits at this machine, or nobody, as there are none. */
export type LinksLead = 'anywhere' | 'this_machine' | 'nowhere';

/** Where links under a public URL lead; null: there are no links. */
export function linksLead(publicUrl: string | null): LinksLead {
  if (publicUrl === null) return 'nowhere';
  return isThisMachine(publicUrl) ? 'this_machine' : 'anywhere';
}

/** The same URL by each address (IPv4) that this machine has in its networks: what others there may reach it by. */
export function urlsInNetwork(publicUrl: string): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(ofOne => ofOne ?? []);
  const { protocol, port } = new URL(publicUrl);
  return addresses
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    .map(({ address }) => `${protocol}//${address}${port === '' ? '' : `:${port}`}`);
}

/** The path of the realtime channel's socket (DECISIONS.md "Wire protocol"). */
export const REALTIME_PATH = '/event/realtime';

/** Returns where sockets connect: http becomes ws, and https becomes wss. */
export function realtimeUrl(http: string): string {
  return `${http.replace(/^http/, 'ws')}${REALTIME_PATH}`;
}
