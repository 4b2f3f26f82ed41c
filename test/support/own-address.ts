import { networkInterfaces } from 'node:os';

/** An address of this machine that is none of the loopback: whoever calls it comes from it, as from another machine. */
export function ownAddress(family: 'IPv4' | 'IPv6' = 'IPv4'): string {
  const own = Object.values(networkInterfaces())
    .flatMap(ofOne => ofOne ?? [])
    .find(one => one.family === family && !one.internal && !/^(169\.254\.|fe80:)/.test(one.address));
  if (own === undefined)
    throw new Error(`This test needs a network: this machine has no ${family} address but its own loopback.`);
  return own.address;
}
