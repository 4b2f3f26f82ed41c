import type { Logger } from 'pino';
import type { Bus } from '../changes/bus.ts';
import type { CarrierCallback } from '../channels/channel.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import type { Seal } from '../store/seal.ts';
import type { Store } from '../store/store.ts';
import type { Links } from './links.ts';

/** What the responder service stands on. */
export interface ResponderOptions {
  store: Store;
  /** Opens the numbers of contacts, to know who wrote a reply. */
  seal: Seal;
  links: Links;
  /** How the requests of each carrier are read, by its word in the path. */
  callbacks: ReadonlyMap<string, CarrierCallback>;
  /** Tells watchers and waiting calls to look sooner. */
  bus: Bus;
  /** Tells the engine that an action was stored. */
  nudge(): void;
  /** Tells the engine that a message is due on a channel. */
  scheduled(channel: ChannelKind): void;
  log: Logger;
}
