/** What a browser subscribed with at its push service (PushSubscription). */
export interface Subscription {
  /** The URL where its push service takes messages for it. */
  endpoint: string;
  /** Its public key, an uncompressed point of P-256, and its secret, 16 bytes; both in base64url. */
  p256dh: string;
  auth: string;
}

/** A browser that rings for a contact. */
export interface Device extends Subscription {
  id: string;
}

/** The key by which push services know this deployment (RFC 8292), in base64url: a point of P-256 and its private number. */
export interface PushKey {
  publicKey: string;
  privateKey: string;
}

/** What became of a message to a device. `gone`: its browser no longer wants any. */
export type DeviceOutcome = { id: string } & ({ is: 'sent' } | { is: 'fault'; reason: string } | { is: 'gone' });

/** What web push knows of subscriptions, wherever they are kept. */
export interface PushTools {
  newKey(): PushKey;
  /** Tells why nothing can be sent by a subscription; null: it can. */
  refusalOf(subscription: Subscription): { field: 'endpoint' | 'p256dh'; problem: string } | null;
}

/** The browsers of contacts, wherever they are kept. */
export interface Devices extends Pick<PushTools, 'refusalOf'> {
  /** The deployment's key, made when it is asked for first; null: it cannot be opened. Rejects where the database cannot be asked. */
  key(): Promise<PushKey | null>;
  of(accountId: string, contactId: string): Promise<Device[]>;
  /** Takes note of what became of a message. A device that is gone is removed, and its person told over their other ways. */
  told(accountId: string, contactId: string, outcomes: readonly DeviceOutcome[]): Promise<void>;
}
