import { networkInterfaces } from 'node:os';
import { isThisMachine } from './this-machine.ts';

/** For whom links in messages work: for everybody, only on this machine, or for nobody because there are none. */
export type LinksLead = 'anywhere' | 'this_machine' | 'nowhere';

/** Tells for whom links under a public URL work. Null: there are no links. */
export function linksLead(publicUrl: string | null): LinksLead {
  if (publicUrl === null) return 'nowhere';
  return isThisMachine(publicUrl) ? 'this_machine' : 'anywhere';
}

/** Returns the URL with each IPv4 address that this machine has in its networks, by which other machines may reach it. */
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
