import { signalFrame } from './frames.ts';
import type { Kind } from './protocol.ts';

/** The socket of a subscription, as far as it needs one. */
export interface Out {
  write(frame: Buffer): 'sent' | 'not_sent';
}

/** What one socket listens to under one id. Its frames never change, so each is built once, when it is first sent. */
export class Subscription {
  readonly id: string;
  readonly #out: Out;
  /** The only alarm whose signals it gets; empty for all of the account. */
  alarmId = '';
  /** The account whose signals it gets; null until the services have granted it. */
  accountId: string | null = null;
  #state: Buffer | undefined;
  #inventory: Buffer | undefined;

  constructor(id: string, out: Out) {
    this.id = id;
    this.#out = out;
  }

  signal(kind: Kind): 'sent' | 'not_sent' {
    return this.#out.write(kind === 'state' ? this.#stateFrame : this.#inventoryFrame);
  }

  get #stateFrame(): Buffer {
    this.#state ??= signalFrame(this.id, 'state');
    return this.#state;
  }

  get #inventoryFrame(): Buffer {
    this.#inventory ??= signalFrame(this.id, 'inventory');
    return this.#inventory;
  }
}
