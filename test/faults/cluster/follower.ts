import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { Client, holderOf, SUBPROTOCOL } from '../../realtime/client.ts';
import { eventually } from '../../support/wait.ts';
import type { Account } from './deployment.ts';

/** States of alarms, by id. */
export type Shown = Record<string, string>;

/** How long a facade may take to let it listen, and how long it waits after it tried each, in milliseconds. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 50;

/**
 * An integration by the book (SPEC.md 6): it reads state when it has subscribed and at each signal, comes back at another
 * facade when its socket ends, and never polls. So what it last read is what signals made it read.
 */
export class Follower {
  readonly name: string;
  readonly account: Account;
  /** The facade of its socket, or of the last one it had. */
  at: string;
  /** How its sockets ended: where, and with which code. */
  readonly ends: { at: string; code: number }[] = [];
  listening: 'yes' | 'no' = 'no';
  shown: Shown = {};
  readonly #facades: readonly string[];
  #unread: 'nothing' | 'something' = 'nothing';
  #reading: 'yes' | 'no' = 'no';
  #state: 'following' | 'stopped' = 'following';
  #socket: WebSocket | undefined;

  constructor(name: string, account: Account, facades: readonly string[]) {
    this.name = name;
    this.account = account;
    this.#facades = facades;
    this.at = facades[0]!;
  }

  /** Resolves when it listens. It stops with the test. */
  async start(): Promise<void> {
    onTestFinished(() => {
      this.#state = 'stopped';
      this.#socket?.terminate();
    });
    await eventually(() => this.#tryEach(), { what: `${this.name} to listen` });
  }

  /** What is not as it should be, in words; null: it listens and shows this. */
  trouble(expected: Shown): string | null {
    if (this.listening === 'no') return `${this.name} does not listen`;
    if (this.#unread === 'something') return `${this.name} could not read yet`;
    const stale = Object.entries(expected).filter(([id, state]) => this.shown[id] !== state);
    const wrong = stale.map(([id, state]) => `${this.shown[id]} for alarm ${id}, which is ${state}`);
    return wrong.length === 0 ? null : `${this.name} at ${this.at} shows ${wrong.join(' and ')}`;
  }

  /** Until it listens again, however long that takes: its trouble says that it does not. */
  async #comeBack(): Promise<void> {
    while (this.#state === 'following' && !(await this.#tryEach())) await sleep(PAUSE_MS);
  }

  async #tryEach(): Promise<boolean> {
    for (const facade of [this.at, ...this.#facades.filter(url => url !== this.at)]) {
      if (await this.#listenAt(facade).catch(() => false)) return true;
    }
    return false;
  }

  async #listenAt(facade: string): Promise<boolean> {
    const { id, key } = this.account;
    const holder = holderOf({ host: new URL(facade).host, Authorization: key });
    const url = `${facade.replace(/^http/, 'ws')}/event/realtime`;
    const ws = new WebSocket(url, [SUBPROTOCOL, holder], { handshakeTimeout: PATIENCE_MS });
    const client = new Client(ws);
    this.#socket = ws;
    ws.on('message', data => {
      if (JSON.parse(String(data)).type === 'data') this.#read();
    });
    const end = new Promise<never>((_, reject) => ws.once('close', code => reject(new Error(`closed with ${code}`))));
    end.catch(() => {});
    const opened = new Promise(resolve => ws.once('open', resolve));
    const subscribed = async () => {
      await opened;
      await client.greet();
      await client.subscribe('s1', `/account/${id}`, key);
    };
    const impatience = setTimeout(() => ws.terminate(), PATIENCE_MS);
    await Promise.race([subscribed(), end]).finally(() => clearTimeout(impatience));
    this.at = facade;
    this.listening = 'yes';
    ws.once('close', code => this.#lost(facade, code));
    if (client.closed !== null) this.#lost(facade, client.closed.code);
    this.#read();
    return true;
  }

  #lost(at: string, code: number): void {
    if (this.#state === 'stopped' || this.listening === 'no') return;
    this.listening = 'no';
    this.ends.push({ at, code });
    void this.#comeBack();
  }

  /** One read at a time; what is signalled while one is under way leads to one more. */
  #read(): void {
    this.#unread = 'something';
    if (this.#reading === 'yes') return;
    this.#reading = 'yes';
    const read = async () => {
      if (this.#state === 'stopped') return true;
      const shown = await readState(this.at, this.account.key);
      this.shown = shown;
      return true;
    };
    const readAll = async () => {
      while (this.#unread === 'something') {
        this.#unread = 'nothing';
        await eventually(read, { what: `${this.name} to read state` });
      }
    };
    readAll()
      .catch(() => {
        this.#unread = 'something';
      })
      .finally(() => {
        this.#reading = 'no';
      });
  }
}

async function readState(facade: string, key: string): Promise<Shown> {
  const response = await fetch(`${facade}/v1/integration/state`, { headers: { 'x-api-key': key } });
  if (response.status !== 200) throw new Error(`state answered ${response.status}`);
  const { data } = (await response.json()) as { data: { alarms: { id: string; state: string }[] } };
  return Object.fromEntries(data.alarms.map(({ id, state }) => [id, state]));
}
