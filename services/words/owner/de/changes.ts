import type { Tried } from '../../../domain/chances.ts';
import type { OwnerWords } from '../words.ts';
import { channelName } from './things.ts';

/** German. */
export const changes: OwnerWords['changes'] = change => {
  switch (change.kind) {
    case 'exhausted':
      return change.tried === null ? '' : triedWords(change.tried);
    case 'step_brought_forward':
      return `Alles, was vorher fällig war, ist gescheitert: Deshalb ging er ${duration(change.earlierS)} früher als geplant.`;
  }
};

/** Says what was tried. */
export function triedWords({ messages, taken, failed, channels }: Tried): string {
  const over = channels.length === 0 ? '' : ` (${channels.map(channelName).join(', ')})`;
  const all = messages === 1 ? 'eine Nachricht' : `${messages} Nachrichten`;
  return `Versucht: ${all}${over}. Angenommen: ${taken}, gescheitert: ${failed}.`;
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
