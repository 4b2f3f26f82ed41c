import type { ChannelKind } from '../../services/domain/delivery.ts';
import type { ContactCopy, PolicyCopy } from '../../services/domain/escalation.ts';
import type { Means } from '../../services/domain/reach.ts';

export const NOW = Date.UTC(2026, 0, 15, 20);
export const DAY = 24 * 60 * 60 * 1000;

/** Everything is paid for and set up; `but` says what is not. */
export function means(but: { carriers?: ChannelKind[]; account?: Means['account'] } = {}): Means {
  return {
    account: { plan: 'paid', trialEndsAt: NOW - DAY },
    carriers: ['text', 'call', 'email', 'push', 'chat', 'webhook'],
    ...but,
  };
}

export function person(name: string, told: ChannelKind[], has: ChannelKind[] = told): ContactCopy {
  const addresses = has.map(channel => ({ channel, address: 'sealed' }));
  return { id: name.toLowerCase(), name, locale: 'en', timeZone: 'UTC', channels: told, addresses };
}

/** The same, with addresses that nobody has shown to be theirs; `verified` are the others that they have. */
export function stranger(name: string, told: ChannelKind[], verified: ChannelKind[] = []): ContactCopy {
  const unknown = told.map(channel => ({ channel, address: 'sealed', verification: 'not_verified' as const }));
  const { addresses, ...rest } = person(name, told, verified);
  return { ...rest, key: name.toLowerCase(), addresses: [...unknown, ...addresses] };
}

export function policy(...steps: ContactCopy[][]): PolicyCopy {
  return {
    id: 'p',
    name: 'Family',
    steps: steps.map(contacts => ({ delayS: 60, contacts })),
    repeat: 0,
    repeatDelayS: 300,
  };
}
