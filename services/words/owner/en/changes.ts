import type { Tried } from '../../../domain/chances.ts';
import type { ExplainedChange } from '../types.ts';

/** More about a change of an incident, in one sentence; empty if there is nothing to add. */
export function changes(change: ExplainedChange): string {
  switch (change.kind) {
    case 'exhausted':
      return change.tried === null ? '' : triedWords(change.tried);
    case 'step_brought_forward':
      return `Everything due before it had failed, so it went ${duration(change.earlierS)} earlier than planned.`;
  }
}

/** What was tried: how many messages, over which channels, and what became of them. */
export function triedWords({ messages, taken, failed, channels }: Tried): string {
  const over = channels.length === 0 ? '' : ` by ${channels.join(', ')}`;
  const became = [taken > 0 && `carriers took ${taken}`, failed > 0 && `${failed} failed`].filter(Boolean);
  return `Tried: ${messages} ${messages === 1 ? 'message' : 'messages'}${over}; ${became.join(', and ') || 'none has left yet'}.`;
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
