/** How much one transaction that applies the journal takes. */
export interface Limits {
  /** How many groups of the journal it reads, and how many of their calls it applies. */
  groups: number;
  calls: number;
  /** How many due sources of each kind of timer it looks at. */
  timers: number;
  /** How many messages it plans, so that what is accepted next waits for no more than that. */
  messages: number;
  /**
   * How many of them for one account. Beyond that the account opens no further incident in it; an incident of more messages goes
   * to the queue, where it holds nobody up.
   */
  messagesOfAccount: number;
}

/** What it takes unless a simulation asks for less, so that all of it bites. */
export const LIMITS: Limits = { groups: 200, calls: 2_000, timers: 200, messages: 400, messagesOfAccount: 100 };
