import { expect, test } from 'vitest';
import { WebSocket as WsWebSocket } from 'ws';
import { createClient } from '../../facade/sdk/client.ts';
import { eventually } from '../support/wait.ts';
import { HandClock } from './hand-clock.ts';
import { aHouse, type House, watching } from './rig.ts';

/* What a watch does by the clock, which is moved by hand (SPEC.md 6): real servers, real sockets, no waiting. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Changes a state so that no signal says so, as when one is lost. */
async function armQuietly({ world, alarmId }: House): Promise<void> {
  await world.rows("update source_state set armed_mode = 'away' where source_id = $1", [alarmId]);
}

async function up(house: House, clock: HandClock, random = () => 0) {
  const told = watching({ url: house.url, key: await house.owner.key(), clock, random });
  await told.link('up');
  await told.state('disarmed');
  // One at the start and one after the subscription; then all is quiet.
  await eventually(() => told.states.length >= 2 && told.inventories.length >= 2, { what: 'the reads of the start' });
  return told;
}

test('while the socket is up state is read every five minutes, a little earlier by chance', async () => {
  const house = await aHouse();
  const clock = new HandClock();
  const told = await up(house, clock, () => 0.5);
  await armQuietly(house);
  const before = told.count('/state');
  clock.advance(285 * SECOND - 1);
  expect(told.count('/state')).toBe(before);
  clock.advance(1);
  await told.state('away');
  expect(told.count('/state')).toBe(before + 1);
  expect(told.links).toHaveLength(1);
});

test('while the socket is down state is read every minute', async () => {
  const house = await aHouse();
  const clock = new HandClock();
  // A host without a socket: the recipe leads to a port where nobody listens.
  const told = watching({ url: house.url, key: await house.owner.key(), clock, random: () => 0, WebSocket: Nowhere });
  await told.link('down');
  await told.state('disarmed');
  await armQuietly(house);
  const before = told.count('/state');
  clock.advance(MINUTE - 1);
  expect(told.count('/state')).toBe(before);
  clock.advance(1);
  await told.state('away');
  const { length } = told.states;
  clock.advance(MINUTE);
  await eventually(() => told.states.length === length + 1, { what: 'the next read' });
});

class Nowhere extends WsWebSocket {
  constructor(_url: string, protocols: string[]) {
    super('ws://127.0.0.1:1/event/realtime', protocols);
  }
}

test('with no socket wanted state is polled, and the inventory is read anew when its hour is over', async () => {
  const house = await aHouse();
  const clock = new HandClock();
  const told = watching({ url: house.url, key: await house.owner.key(), clock, random: () => 0, WebSocket: null });
  await eventually(() => told.states.length === 1 && told.inventories.length === 1, { what: 'the first reads' });
  for (let minutes = 1; minutes < 60; minutes++) {
    clock.advance(MINUTE);
    await eventually(() => told.states.length === 1 + minutes, { what: `the read after ${minutes} min` });
  }
  expect(told.count('/describe')).toBe(1);
  clock.advance(MINUTE);
  await eventually(() => told.inventories.length === 2, { what: 'the inventory of the next hour' });
  expect(told.links).toEqual([]);
});

test('a socket that says nothing for as long as the service promised to speak is replaced', async () => {
  const house = await aHouse();
  const clock = new HandClock();
  const told = await up(house, clock);
  await armQuietly(house);
  clock.advance(300 * SECOND);
  await told.link('down');
  expect(told.links.at(-1)?.why).toMatch(/keep-alive.*300000 ms/);
  clock.advance(500);
  await told.link('up');
  await told.state('away');
});

test('keep-alives keep it, however long nothing changes', async () => {
  const house = await aHouse({ keepAlive: 50 });
  const clock = new HandClock();
  const told = watching({ url: house.url, key: await house.owner.key(), clock, WebSocket: Heard });
  await told.link('up');
  for (let round = 0; round < 3; round++) {
    const { length } = Heard.messages;
    await eventually(() => Heard.messages.length >= length + 2, { what: 'keep-alives' });
    expect(Heard.messages.at(-1)).toBe('{"type":"ka"}');
    clock.advance(200 * SECOND);
  }
  expect(told.links).toEqual([{ status: 'up', why: null }]);
});

/** Lets a test see when a message has come. */
class Heard extends WsWebSocket {
  static messages: string[] = [];

  constructor(url: string, protocols: string[]) {
    super(url, protocols);
    this.on('message', data => Heard.messages.push(String(data)));
  }
}

test('when the socket is lost after minutes without a read, state is read at once and not in a minute', async () => {
  const house = await aHouse();
  const clock = new HandClock();
  const told = await up(house, clock);
  clock.advance(200 * SECOND);
  const before = told.count('/state');
  await house.close();
  await told.link('down');
  expect(told.count('/state')).toBe(before);
  clock.advance(0);
  expect(told.count('/state')).toBe(before + 1);
});

test('the pauses between tries grow, and begin anew only after a socket that was up for a minute', async () => {
  const house = await aHouse();
  const clock = new HandClock();
  Flaky.place = 'nowhere';
  // A call under way may take hours, so that none is given up when the clock is moved.
  const wishes = { clock, random: () => 0, WebSocket: Flaky, timeoutMs: 100 * 60 * MINUTE };
  const told = watching({ url: house.url, key: await house.owner.key(), ...wishes });
  let ends = 0;
  /** Waits for the next end of a socket, after which the next try is to come in `ms`, and lets it come. */
  async function pause(ms: number): Promise<void> {
    ends++;
    const downs = () => told.links.filter(({ status }) => status === 'down').length;
    await eventually(() => downs() === ends, { what: `end ${ends} of a socket` });
    expect(clock.waiting).toContain(ms);
    clock.advance(ms);
  }
  await pause(500);
  await pause(1_000);
  Flaky.place = 'there';
  await pause(2_000);
  await told.link('up');
  clock.advance(59 * SECOND);
  Flaky.last?.terminate();
  await pause(4_000);
  await told.link('up');
  clock.advance(60 * SECOND);
  Flaky.last?.terminate();
  await pause(500);
});

/** Goes where a test says. */
class Flaky extends WsWebSocket {
  static place: 'nowhere' | 'there' = 'there';
  static last: Flaky | undefined;

  constructor(url: string, protocols: string[]) {
    super(Flaky.place === 'there' ? url : 'ws://127.0.0.1:1/event/realtime', protocols);
    Flaky.last = this;
  }
}

test('a server that opens the socket and then says nothing is given up', async () => {
  const house = await aHouse();
  const clock = new HandClock();
  const told = watching({ url: house.url, key: await house.owner.key(), clock, WebSocket: Mute });
  await eventually(() => Mute.opened > 0, { what: 'an open socket' });
  clock.advance(15 * SECOND);
  await told.link('down');
  expect(told.links.at(-1)?.why).toContain('No subscription');
});

/** Opens, and never says a word: nor does the relay, which waits for one. */
class Mute extends WsWebSocket {
  static opened = 0;

  constructor(url: string, protocols: string[]) {
    super(url, protocols);
    this.on('open', () => Mute.opened++);
  }

  override send(): void {}
}

test('what fails is tried again, later and later, and not before the service said', async () => {
  const house = await aHouse({ limits: { read: 0, action: 0, trigger: 0 } });
  const clock = new HandClock();
  const told = watching({ url: house.url, key: await house.owner.key(), clock, random: () => 0, WebSocket: null });
  const failed = (times: number) =>
    eventually(() => told.problems.length === times * 2, { what: `${times} failures of both reads` });
  await failed(1);
  // Alone it would wait half a second; the service says one.
  expect(clock.waiting).toEqual([1_000, 1_000]);
  for (const [times, pause] of [
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, 8_000],
  ] as const) {
    clock.advance(clock.waiting[0]!);
    await failed(times);
    expect(clock.waiting).toEqual([pause, pause]);
  }
  expect(new Set(told.problems)).toEqual(new Set(['unavailable']));
});

test('what a listener throws does not end the watch', async () => {
  const house = await aHouse();
  const key = await house.owner.key();
  const thrown: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', error => thrown.push(error));
  let states = 0;
  const watch = createClient({ url: house.url, key }).watch({
    onState() {
      states++;
      throw new Error('mine');
    },
  });
  try {
    await eventually(() => states >= 2, { what: 'a second state' });
    expect(thrown).toContainEqual(new Error('mine'));
  } finally {
    watch.close();
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
});
