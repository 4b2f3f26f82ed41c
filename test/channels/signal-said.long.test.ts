import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Heard } from '../../services/channels/channel.ts';
import { anAlert } from '../support/alert.ts';
import type { SignalServer } from '../support/signal.ts';
import { expectInTime } from '../support/wait.ts';
import { ANNA, ANNAS, BENS, behaves, rig } from './signal-rig.ts';

/** What was written, of what was heard. */
function saidIn(heard: Heard): string[] {
  const all = heard.kind === 'heard' ? heard.said : [];
  return all.flatMap(({ said }) => (said.kind === 'replied' ? [said.text] : []));
}

describe('what people say', () => {
  test('what was heard is heard again until it is kept, though the server hands it out once', async () => {
    const { signal, bot, hear } = await rig();
    signal.write(ANNAS, 'K7M4');
    signal.edit(ANNAS, 'ok K7M4');
    const first = await hear();
    expect(first).toMatchObject({
      kind: 'heard',
      said: [
        { said: { kind: 'replied', from: ANNA, text: 'K7M4' } },
        { said: { kind: 'replied', from: ANNA, text: 'ok K7M4' } },
      ],
    });
    expect(await hear()).toEqual(first);
    // Whatever the server says meanwhile.
    signal.behave({ status: 500 });
    expect(await hear()).toEqual(first);
    signal.behave('ok');
    const [, second] = first.kind === 'heard' ? first.said : [];
    bot.kept(second!.nth);
    expect(await hear()).toMatchObject({ said: [second] });
    bot.kept(null);
    expect(await hear()).toEqual({ kind: 'heard', said: [] });
  });

  test('a backlog comes ten at a time and without a rest, in order, and nothing of it is lost', async () => {
    const { signal, bot, hear } = await rig();
    for (let nth = 0; nth < 25; nth++) signal.write(ANNAS, String(nth));
    const all: string[] = [];
    const began = performance.now();
    for (const length of [10, 10, 5]) {
      const said = saidIn(await hear());
      expect(said).toHaveLength(length);
      all.push(...said);
      bot.kept(null);
    }
    expect(all).toEqual(Array.from({ length: 25 }, (_, nth) => String(nth)));
    expectInTime(performance.now() - began, 400, 'the backlog');
  });

  test('what cannot be stored stays, and no more is asked for than there is room', async () => {
    const { signal, bot, hear } = await rig();
    for (let nth = 0; nth < 120; nth++) signal.write(ANNAS, String(nth));
    for (let nth = 0; nth < 12; nth++) await hear();
    const kept = saidIn(await hear());
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, '0', '99']);
    expect(signal.asked()).toBe(10);
    bot.kept(null);
    expect(saidIn(await hear())[0]).toBe('100');
  });

  test.each([
    ['a fault', ['ERROR ReceiveHelper - Unknown error when handling messages']],
    ['a trace', ['java.lang.NullPointerException: null {} }', '\tat org.asamk.Main(Main.java:7)', '}}']],
  ])('%s that signal-cli says among them takes nothing of what was heard', async (_, lines) => {
    const { signal, bot, hear } = await rig();
    signal.write(ANNAS, 'K7M4 ,{"envelope":{}}');
    signal.edit(ANNAS, 'ok K7M4');
    signal.mutters(...lines);
    expect(saidIn(await hear())).toEqual(['K7M4 ,{"envelope":{}}', 'ok K7M4']);
    bot.kept(null);
    signal.write(ANNAS, 'the last');
    signal.mutters(...lines);
    expect(saidIn(await hear())).toEqual(['the last']);
    bot.kept(null);
    signal.mutters(...lines);
    expect(await hear()).toMatchObject({ kind: 'fault', problem: 'Signal answered something that cannot be read' });
  });

  test('an answer that takes longer than most is waited for: whatever is in it comes once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { signal, bot } = await rig();
    signal.write(ANNAS, 'K7M4');
    const goesOn = signal.holdsBack();
    const hearing = bot.hear(new AbortController().signal);
    await vi.waitUntil(() => signal.asked() === 1);
    vi.advanceTimersByTime(120_000);
    goesOn();
    expect(saidIn(await hearing)).toEqual(['K7M4']);
  });

  test('receipts are of the person and the time of a message, of which two may have one', async () => {
    const { signal, channel, hear } = await rig();
    signal.turns('same_time');
    await channel.send(ANNA, anAlert({ deliveryId: 'a'.repeat(32) }));
    await channel.send(`signal:${BENS}`, anAlert({ deliveryId: 'b'.repeat(32), attempt: 2 }));
    const { at } = signal.sent[0]!;
    signal.receipt(BENS, at, 'isRead');
    signal.receipt(ANNAS, '1');
    signal.receipt('+4366099999999', at);
    expect(await hear()).toMatchObject({
      said: [{ said: { kind: 'arrived', deliveryId: 'b'.repeat(32), attempt: 2, providerRef: at } }],
    });
  });

  test('what is not known, of a group, of ourselves or of nobody’s number is passed over', async () => {
    const { signal, hear } = await rig();
    const from = { source: ANNAS, sourceNumber: ANNAS };
    signal.oddity({ envelope: { ...from, typingMessage: { action: 'STARTED' } } });
    signal.oddity({ envelope: { ...from, dataMessage: { message: 'K7M4', groupInfo: { groupId: 'x' } } } });
    signal.oddity({ envelope: { ...from, dataMessage: { message: null, reaction: {} } } });
    signal.oddity({ envelope: { sourceNumber: null, sourceUuid: '7cc', dataMessage: { message: 'K7M4' } } });
    signal.oddity({ envelope: { ...from, receiptMessage: { isDelivery: true, timestamps: 'x' } } });
    signal.oddity({ exception: { message: 'ProtocolUntrustedIdentityException' }, account: 'x' });
    signal.oddity(7);
    signal.write(signal.settings.number, 'K7M4');
    expect(await hear()).toEqual({ kind: 'heard', said: [] });
  });

  test.each<[string, (signal: SignalServer) => void, string]>([
    [
      'runs in a mode that loses replies',
      signal => signal.runs('json-rpc'),
      'the server of SIGNAL_URL runs in a mode that loses replies, so that nobody can acknowledge by one: set its MODE to native',
    ],
    ['is none', behaves({ status: 404 }), 'what answers at SIGNAL_URL is no server of Signal'],
    [
      'knows no such number',
      signal => signal.unregister(),
      'SIGNAL_NUMBER is not registered at the server of SIGNAL_URL',
    ],
    ['breaks off', behaves('reset'), 'Signal broke off'],
  ])('a server that %s: nothing is heard, and why', async (_, happens, problem) => {
    const { signal, hear } = await rig();
    happens(signal);
    expect(await hear()).toMatchObject({ kind: 'fault', problem, who: 'nobody_knows' });
  });

  test('it is not asked all the time', async () => {
    const { signal, hear } = await rig();
    const began = performance.now();
    for (let nth = 0; nth < 3; nth++) await hear();
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    expect(signal.asked()).toBe(3);
  });

  test('whoever ends waits for what is on its way, and no longer for a server that hangs', async () => {
    const { signal, bot } = await rig();
    signal.behave('hang');
    const ending = new AbortController();
    const hearing = bot.hear(ending.signal);
    ending.abort();
    await expect(hearing).rejects.toThrow();
  });
});
