import type { ChannelKind } from './delivery.ts';

/** What an incident's alerts have come to. A failing one counts as failed (delivery.ts FAILING_AFTER). */
export interface Tried {
  messages: number;
  taken: number;
  failed: number;
  /** In the order in which they were first used. */
  channels: readonly ChannelKind[];
}

/**
 * Whether everybody had their chance (DECISIONS.md "`exhausted`"). `lastAt`: when the last message that waits is due, or
 * when the last that was held up went out, milliseconds since 1970; null if none waits or was held up.
 */
export interface Chances {
  lastAt: number | null;
  tried: Tried;
}

/** Returns it as the detail of an incident's entry: `6 4 2 text,email`. */
export function triedDetail({ messages, taken, failed, channels }: Tried): string {
  return `${messages} ${taken} ${failed} ${channels.join()}`;
}

/** Reads the detail of an incident's entry; null if it says nothing. */
export function triedOf(detail: string): Tried | null {
  const [messages, taken, failed, channels = ''] = detail.split(' ');
  if (failed === undefined) return null;
  return {
    messages: Number(messages),
    taken: Number(taken),
    failed: Number(failed),
    channels: channels.split(',').filter(Boolean) as ChannelKind[],
  };
}
