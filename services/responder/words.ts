import type { CommonWords } from '../domain/common-words.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import type { CloseReason, Via } from '../domain/incident.ts';
import type { Environment } from '../domain/source.ts';

/**
 * What the page of an incident says in one language. Names and times that are handed in are clean and in that language;
 * nothing here is HTML.
 */
export interface PageWords extends CommonWords {
  /** BCP 47. */
  language: string;
  channels: Record<ChannelKind, string>;
  labels: Record<'what' | 'where' | 'when' | 'environment' | 'triggers' | 'answered', string>;
  /** One or two words, for the top of the page. */
  environmentLabel: Record<Environment, string>;
  triggers(count: number, last: string): string;
  /** Who answered, when and how, as the value of a line. */
  answered(by: string, at: string, via: string): string;
  vias: Record<Via, string>;
  /** How it stands, one sentence each. */
  nobodyReached: string;
  nobodyAtAll: string;
  taken(by: string, at: string): string;
  takenByYou(at: string): string;
  closed(at: string, reason: string): string;
  closeReasons: Record<CloseReason, string>;
  you(name: string): string;
  mapLabel: string;
  toldHeading: string;
  closeLabel: string;
  /** In the place of all that is shown while there is no connection. */
  offline: string;
  /** Who was told over which channel, and what became of it, as one sentence. */
  toldLine(name: string, channel: string, what: string): string;
  told: {
    scheduled(at: string): string;
    retried(why: string, at: string): string;
    sending: string;
    sent(at: string): string;
    delivered(at: string): string;
    failed(why: string): string;
    cancelled: string;
    outbox: string;
    suppressed(at: string): string;
  };
  /**
   * What stood in the way, by the words that are stored, up to their colon: behind it stands what a server said. Others are
   * for the owner and mean nothing to those who are alerted: they are not shown.
   */
  reasons: Readonly<Record<string, string>>;
}
