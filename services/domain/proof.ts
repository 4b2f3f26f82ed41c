import type { ChannelKind } from './delivery.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How old a proof of reach may be: up to `fresh` it says all, beyond `ages` it says nothing any more. In milliseconds. */
export const PROOF_AGES_MS = { fresh: 45 * DAY_MS, ages: 90 * DAY_MS } as const;

/** How much the last proof of somebody is worth. `never`: there is none. */
export type ProofAge = 'fresh' | 'ages' | 'stale' | 'never';

/** Returns when a contact last answered over a channel, milliseconds since 1970; null: never over that address. */
export type ProvenAt = (contactId: string, channel: ChannelKind) => number | null;

/**
 * Returns how the last drill over a channel rang, as the person said: aloud, or their phone stayed silent; null: they were not asked over that
 * address, or did not say.
 */
export type Rang = (contactId: string, channel: ChannelKind) => 'aloud' | 'silent' | null;

/** The channels that ring, where the phone lets them. */
const RINGING: readonly ChannelKind[] = ['text', 'call', 'push'];

/**
 * Tells whether somebody said that their phone stays silent, and none of these channels is left that may ring (DECISIONS.md "Proof of reach").
 */
export function staysSilent(contactId: string, channels: readonly ChannelKind[], rang: Rang): boolean {
  const said = channels.map(channel => ({ channel, rang: rang(contactId, channel) }));
  if (!said.some(one => one.rang === 'silent')) return false;
  return said.every(one => one.rang === 'silent' || (one.rang === null && !RINGING.includes(one.channel)));
}

/** Returns how much a proof is worth at a time (DECISIONS.md "Proof of reach"). Both in milliseconds since 1970. */
export function proofAge(provenAt: number | null, at: number): ProofAge {
  if (provenAt === null) return 'never';
  const age = at - provenAt;
  if (age <= PROOF_AGES_MS.fresh) return 'fresh';
  return age <= PROOF_AGES_MS.ages ? 'ages' : 'stale';
}

/** Tells whether somebody can answer over a channel at all: nobody presses a button of a webhook. */
export function canBeProven(channel: ChannelKind): boolean {
  return channel !== 'webhook';
}

/** Returns the newest proof of a person over these channels, milliseconds since 1970; null if there is none. */
export function newestProof(contactId: string, channels: readonly ChannelKind[], provenAt: ProvenAt): number | null {
  const proofs = channels.flatMap(channel => provenAt(contactId, channel) ?? []);
  return proofs.length === 0 ? null : Math.max(...proofs);
}
