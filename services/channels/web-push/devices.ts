import type { BrowserKeys } from './encrypt.ts';
import type { VapidKey } from './vapid.ts';

/** What a browser subscribed with. */
export interface Subscription extends BrowserKeys {
  /** The URL at its push service where messages for it are posted. */
  endpoint: string;
}

/** A browser that rings for a contact. */
export interface Device extends Subscription {
  id: string;
}

/** What became of a message to a device. `gone`: its browser no longer wants any. */
export type DeviceOutcome = { id: string } & ({ is: 'sent' } | { is: 'fault'; reason: string } | { is: 'gone' });

/** The browsers of contacts, wherever they are kept (readiness/devices.ts). */
export interface Devices {
  /** The deployment's key, made when it is asked for first. Rejects where it cannot be opened. */
  key(): Promise<VapidKey>;
  of(accountId: string, contactId: string): Promise<Device[]>;
  /** Takes note of what became of a message. A device that is gone is removed, and its person told over their other ways. */
  told(accountId: string, contactId: string, outcomes: readonly DeviceOutcome[]): Promise<void>;
}
