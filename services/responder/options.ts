import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Logger } from 'pino';
import type { PageSchema } from '../../gen/tocsin/incident/v1/page_pb.ts';
import type { GetDeviceLinkResponseSchema } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import type { Bus } from '../changes/bus.ts';
import type { CarrierCallback } from '../channels/channel.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import type { Seal } from '../store/seal.ts';
import type { Store } from '../store/store.ts';
import type { Links } from './links.ts';

/** What the responder service needs. */
export interface ResponderOptions {
  store: Store;
  /** Decrypts the numbers of contacts, to identify who wrote a reply. */
  seal: Seal;
  links: Links;
  /** The links that ask whether an address is somebody's (readiness/verification-link.ts). */
  verificationLinks: {
    pageOf(token: string): Promise<MessageInitShape<typeof PageSchema> | null>;
    confirm(token: string): Promise<'verified' | 'already_verified' | null>;
  };
  /** The links that make a browser ring for a person (readiness/ring-page.ts). */
  deviceLinks: {
    pageOf(token: string): Promise<MessageInitShape<typeof GetDeviceLinkResponseSchema> | null>;
    add(
      token: string,
      browser: { endpoint: string; p256dh: string; auth: string; name: string },
    ): Promise<{ outcome: 'added' | 'known'; problem: string } | null>;
  };
  /** The request readers of the carriers, by their word in the path. */
  callbacks: ReadonlyMap<string, CarrierCallback>;
  /** The channels that have a carrier here. */
  carriers: readonly ChannelKind[];
  /** Wakes watchers and waiting calls. */
  bus: Bus;
  /** Notifies the engine of a stored action. */
  nudge(): void;
  /** Notifies the engine that a message is due on a channel. */
  scheduled(channel: ChannelKind): void;
  /** Counts what a carrier reported of a message; seconds since the first attempt. `fault`: null if it arrived. */
  reported(report: {
    channel: ChannelKind;
    status: 'delivered' | 'scheduled' | 'failed' | 'cancelled';
    fault: 'temporary_fault' | 'permanent_fault' | null;
    sinceFirstAttemptS: number;
  }): void;
  log: Logger;
}
