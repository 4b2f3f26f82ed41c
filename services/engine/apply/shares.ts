/** How many messages one transaction plans for one account. Whoever is over it opens no further incident in it. */
const OF_ACCOUNT = 100;

/**
 * What one transaction may plan for each account. Messages are what weighs: an incident plans up to some hundred, a call
 * that folds none.
 */
export interface Shares {
  /** How many messages an account may still plan; 0: none. */
  left(accountId: string): number;
  take(accountId: string, messages: number): void;
}

/** `all`: how many one transaction plans for all of them. */
export function createShares(all: number): Shares {
  const taken = new Map<string, number>();
  let left = all;
  return {
    left: accountId => Math.max(0, Math.min(OF_ACCOUNT - (taken.get(accountId) ?? 0), left)),
    take(accountId, messages) {
      taken.set(accountId, (taken.get(accountId) ?? 0) + messages);
      left -= messages;
    },
  };
}

/** What opens an incident of more messages goes to the queue, where it holds nobody up. */
export const HEAVIEST = OF_ACCOUNT;
