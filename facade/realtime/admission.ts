import type { RelayLimits } from './settings.ts';

/** Counts the sockets of each address and of all, those that are still asking included (REALTIME.md 5.11). */
export class Admission {
  readonly #limits: RelayLimits;
  readonly #ofAddress = new Map<string, number>();
  #all = 0;

  constructor(limits: RelayLimits) {
    this.#limits = limits;
  }

  /** `release` must follow when it was `admitted`. */
  take(address: string): 'admitted' | 'full' | 'address_full' {
    const ofAddress = this.#ofAddress.get(address) ?? 0;
    if (this.#all >= this.#limits.sockets) return 'full';
    if (ofAddress >= this.#limits.socketsPerAddress) return 'address_full';
    this.#all += 1;
    this.#ofAddress.set(address, ofAddress + 1);
    return 'admitted';
  }

  release(address: string): void {
    this.#all -= 1;
    const left = this.#ofAddress.get(address)! - 1;
    if (left === 0) this.#ofAddress.delete(address);
    else this.#ofAddress.set(address, left);
  }
}
