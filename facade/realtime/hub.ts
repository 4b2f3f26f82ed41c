import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, subjects } from '../../services/changes/bus.ts';
import { accountsHeard, changesHeard, signalsSent, subscriptionsOpen } from './metrics.ts';
import { KINDS, type Kind } from './protocol.ts';
import type { RelayTimes } from './settings.ts';
import { spread } from './spread.ts';
import type { Subscription } from './subscription.ts';

/** The subscriptions of one account in this process, and the one bus subscription that feeds them. */
export class Room {
  readonly accountId: string;
  readonly members = new Set<Subscription>();
  /** Resolves when changes are being heard, or when waiting for that takes too long. */
  readonly opened: Promise<void>;
  /** Its members and those that wait for `opened`. */
  guests = 0;
  closing: NodeJS.Timeout | undefined;
  readonly #ways: Readonly<Record<Kind, Coalescer>>;
  readonly #unsubscribe: () => void;

  constructor(bus: Bus, accountId: string, times: RelayTimes) {
    this.accountId = accountId;
    const way = (kind: Kind) => new Coalescer(times.coalesce, alarmIds => this.#signal(kind, alarmIds));
    this.#ways = { state: way('state'), inventory: way('inventory') };
    this.#unsubscribe = bus.subscribe(subjects.change(accountId), change => this.#heard(change));
    this.opened = this.#open(bus, times.busPatience);
  }

  close(): void {
    clearTimeout(this.closing);
    this.#unsubscribe();
    for (const kind of KINDS) this.#ways[kind].stop();
  }

  /**
   * No client is told that it listens before the bus delivers changes to us, or a change could fall between its read
   * and our subscription (REALTIME.md 5.8). While the bus is away that may take long: then it is told nevertheless, and
   * gets a signal of each kind once the bus is back.
   */
  async #open(bus: Bus, patienceMs: number): Promise<void> {
    const impatience = new AbortController();
    const heard = bus.flush().then(
      () => 'heard',
      () => 'bus closed',
    );
    const late = sleep(patienceMs, 'late', { signal: impatience.signal }).catch(() => 'late');
    const first = await Promise.race([heard, late]);
    impatience.abort();
    if (first !== 'late') return;
    void heard.then(() => {
      for (const kind of KINDS) this.#ways[kind].signal('');
    });
  }

  /** `change` is tocsin.common.v1.Change as JSON, from another process, perhaps of another version. */
  #heard(change: unknown): void {
    const { kind, alarmId } = (change ?? {}) as { kind?: unknown; alarmId?: unknown };
    if (kind !== 'state' && kind !== 'inventory') return;
    changesHeard.inc({ kind });
    this.#ways[kind].signal(typeof alarmId === 'string' ? alarmId : '');
  }

  /**
   * A key for one alarm learns nothing about the others, not even that something happened to them (DECISIONS.md
   * "Channel").
   */
  #signal(kind: Kind, alarmIds: ReadonlySet<string>): void {
    const forAll = alarmIds.has('');
    let sent = 0;
    for (const member of this.members) {
      const concerned = forAll || member.alarmId === '' || alarmIds.has(member.alarmId);
      if (concerned && member.signal(kind) === 'sent') sent += 1;
    }
    signalsSent.inc({ kind }, sent);
  }
}

/** Brings changes from the bus to the listening sockets: one bus subscription for each account with sockets here. */
export class Hub {
  readonly #bus: Bus;
  readonly #times: RelayTimes;
  readonly #rooms = new Map<string, Room>();
  readonly #stopListening: () => void;
  #stopSignalling = () => {};

  constructor(bus: Bus, times: RelayTimes) {
    this.#bus = bus;
    this.#times = times;
    this.#stopListening = bus.onReconnect(() => this.#signalEverybody());
  }

  /** Brings a granted subscription into its account's room. It gets signals from its confirmation on: see `admit`. */
  enter(subscription: Subscription, accountId: string): Room {
    const room = this.#rooms.get(accountId) ?? this.#open(accountId);
    room.guests += 1;
    clearTimeout(room.closing);
    subscription.accountId = room.accountId;
    return room;
  }

  admit(subscription: Subscription): void {
    this.#roomOf(subscription)!.members.add(subscription);
    subscriptionsOpen.inc();
  }

  leave(subscription: Subscription): void {
    const room = this.#roomOf(subscription);
    if (room === undefined) return;
    subscription.accountId = null;
    if (room.members.delete(subscription)) subscriptionsOpen.dec();
    room.guests -= 1;
    if (room.guests > 0) return;
    // Not at once: a client that lost its connection will be back in a moment.
    room.closing = setTimeout(() => this.#close(room), this.#times.linger);
    room.closing.unref();
  }

  close(): void {
    this.#stopListening();
    this.#stopSignalling();
    for (const room of this.#rooms.values()) this.#close(room);
  }

  #roomOf({ accountId }: Subscription): Room | undefined {
    return accountId === null ? undefined : this.#rooms.get(accountId);
  }

  #open(accountId: string): Room {
    const room = new Room(this.#bus, accountId, this.#times);
    this.#rooms.set(accountId, room);
    accountsHeard.set(this.#rooms.size);
    return room;
  }

  #close(room: Room): void {
    room.close();
    subscriptionsOpen.dec(room.members.size);
    this.#rooms.delete(room.accountId);
    accountsHeard.set(this.#rooms.size);
  }

  /** Changes may have been missed while the bus was away, and no client can know (REALTIME.md 5.9). */
  #signalEverybody(): void {
    const everybody = [...this.#rooms.values()].flatMap(({ members }) => [...members]);
    const { spread: mostMs, spreadEach: eachMs } = this.#times;
    this.#stopSignalling();
    this.#stopSignalling = spread(everybody, { mostMs, eachMs }, subscription => {
      // The client has unsubscribed meanwhile and no longer knows the id.
      if (subscription.accountId === null) return;
      for (const kind of KINDS) if (subscription.signal(kind) === 'sent') signalsSent.inc({ kind });
    });
  }
}

/**
 * Passes the first of many signals on at once and then at most one in every `windowMs` (DECISIONS.md "When"). What is
 * held back is one bit per alarm: signals only say that something changed, so two say no more than one.
 */
export class Coalescer {
  readonly #windowMs: number;
  readonly #emit: (alarmIds: ReadonlySet<string>) => void;
  #held = new Set<string>();
  #window: NodeJS.Timeout | undefined;

  constructor(windowMs: number, emit: (alarmIds: ReadonlySet<string>) => void) {
    this.#windowMs = windowMs;
    this.#emit = emit;
  }

  /** `alarmId` empty: not about a single alarm. */
  signal(alarmId: string): void {
    this.#held.add(alarmId);
    if (this.#window === undefined) this.#let();
  }

  stop(): void {
    clearTimeout(this.#window);
    this.#held.clear();
  }

  #let(): void {
    const alarmIds = this.#held;
    this.#held = new Set();
    this.#window = setTimeout(() => {
      this.#window = undefined;
      if (this.#held.size > 0) this.#let();
    }, this.#windowMs);
    this.#emit(alarmIds);
  }
}
