import { expect, onTestFinished, test } from 'vitest';
import { anna as aContact } from '../rpc/readiness/verification-rig.ts';
import { consoleOf } from '../support/console.ts';
import { sharedByProcesses } from '../support/shared.ts';
import { type SignalServer, startSignal } from '../support/signal.ts';
import { startSmtp } from '../support/smtp.ts';
import { codeIn } from '../support/verified.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';

const ANNAS = '+4366012345678';
const BENS = '+4366087654321';

/** An alarm that tells Anna over Signal at once, who has email too, and Ben a minute later. */
async function family(on: WorldOptions = {}) {
  const [signal, smtp] = await Promise.all([startSignal(), startSmtp()]);
  onTestFinished(async () => void (await Promise.all([signal.stop(), smtp.stop()])));
  const world = await startWorld({ ...on, smtpUrl: smtp.url, carriers: { signal: signal.settings } });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { chat: `signal:${ANNAS}`, email: 'anna@example.com' });
  const ben = await owner.contact('Ben', { chat: `signal:${BENS}` });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['chat'] }] },
    { delayS: 60, contacts: [{ contactId: ben, channels: ['chat'] }] },
  ]);
  const [id, key] = [await owner.alarm({ modes: { away: { policyId } } }), await owner.key()];
  const incident = async () => (await owner.incidents())[0]!;
  return {
    ...{ signal, smtp, world, owner, anna, incident },
    delivery: async () => (await incident()).deliveries.find(({ kind }) => kind === 'alert')!,
    code: async () => (await world.rows<{ reply_code: string }>('SELECT reply_code FROM incident'))[0]!.reply_code,
    acknowledgedBy: (name: string) =>
      eventually(async () => ((await incident()).acknowledgedBy === name ? incident() : null), {
        what: 'an acknowledgement',
      }),
    async act(verb: string) {
      await world.get(`/v1/alarm/${id}/${verb}`, key);
      await world.settle();
    },
  };
}

const saidTo = (signal: SignalServer, number: string) =>
  signal.sent.filter(({ to }) => to === number).map(({ text }) => text);

test('whoever replies with the code stops the escalation within two seconds, without a public address, and has proven the way', async () => {
  const { signal, world, anna, act, code, delivery, acknowledgedBy } = await family();
  await act('trigger');
  expect(await delivery()).toMatchObject({ channel: 'chat', status: 'sent', carrier: 'signal' });
  const began = performance.now();
  signal.write(ANNAS, `ok ${(await code()).toLowerCase()}`);
  expect(await acknowledgedBy('Anna')).toMatchObject({ status: 'open', acknowledgedVia: 'chat' });
  expectInTime(performance.now() - began, 2_000, 'the acknowledgement');
  await signal.next(({ to, text }) => to === ANNAS && text.startsWith('You acknowledged this'));
  await world.settle();
  await world.advance(60);
  expect(saidTo(signal, BENS)).toEqual([]);
  const proven = 'SELECT channel FROM contact_channel WHERE contact_id = $1 AND proven_at IS NOT NULL';
  await eventually(async () => (await world.rows(proven, [anna])).length === 1 || null, { what: 'a proof' });
});

test('a code counts only from whom the message went to; others are told, and somebody else’s number in text is nobody’s here', async () => {
  const { signal, world, act, code, incident, acknowledgedBy } = await family();
  await act('trigger');
  const its = await code();
  signal.write('+4366099999999', its);
  await signal.next(({ to, text }) => to === '+4366099999999' && text.startsWith('No alert for you has the code'));
  for (const [nth, said] of ['hello', 'STOP', 'ende'].entries()) {
    const stranger = `+436609999998${nth}`;
    signal.write(stranger, said);
    const { text } = await signal.next(({ to }) => to === stranger);
    expect(text).toContain('reply with just the code');
    expect(text).toContain(`Your address here is signal:${stranger}.`);
  }
  signal.write(ANNAS, 'not now, who is this?');
  await signal.next(({ to, text }) => to === ANNAS && text.includes('reply with just the code'));
  expect((await incident()).acknowledgedBy).toBe('');
  // One who changes what they wrote means what stands there then.
  signal.edit(BENS, its);
  await acknowledgedBy('Ben');
  signal.write(ANNAS, its);
  await signal.next(({ to, text }) => to === ANNAS && text.includes('Already acknowledged by Ben'));
  await world.settle();
});

test('what the phone has is delivered, as its receipt says, and a receipt of another one changes nothing', async () => {
  const { signal, act, delivery } = await family();
  await act('trigger');
  const { at } = signal.sent[0]!;
  signal.receipt(ANNAS, '12345');
  signal.receipt(BENS, at);
  await signal.handedOut();
  expect((await delivery()).status).toBe('sent');
  signal.receipt(ANNAS, at);
  await eventually(async () => (await delivery()).status === 'delivered' || null, { what: 'that it arrived' });
});

test('Signal refuses this signal-cli: the next channel goes at once, and it is not asked again', async () => {
  const { signal, smtp, world, act, delivery } = await family();
  signal.turns('too_old');
  await act('trigger');
  await world.settle();
  expect(await delivery()).toMatchObject({
    status: 'failed',
    reason: 'Signal refuses this version of signal-cli: update the server of SIGNAL_URL',
  });
  expect(smtp.mails).toHaveLength(1);
});

test('a reply that comes three times acknowledges once', async () => {
  const { signal, act, code, incident, acknowledgedBy } = await family();
  await act('trigger');
  const its = await code();
  for (let nth = 0; nth < 3; nth++) signal.write(ANNAS, its);
  await acknowledgedBy('Anna');
  await signal.handedOut();
  const { timeline } = await incident();
  const taken = timeline.filter(({ entry }) => entry.case === 'change' && entry.value.kind === 'acknowledged');
  expect(taken).toHaveLength(1);
});

test('of two processes one listens, and once it has ended the other one does', async () => {
  const both = await sharedByProcesses();
  const { signal, world, act, code } = await family(both);
  await act('trigger');
  const second = await startWorld({ ...both, carriers: { signal: signal.settings } });
  const holder = async () => (await second.rows<{ holder: string }>('SELECT holder FROM listening'))[0]!.holder;
  const before = await holder();
  const its = await code();
  await world.services.close();
  await eventually(async () => (await holder()) !== before || null, { what: 'the other one to listen' });
  signal.write(ANNAS, its);
  const acknowledged = async () =>
    (await second.rows("SELECT 1 FROM incident WHERE acknowledged_by = 'Anna'")).length === 1;
  await eventually(async () => (await acknowledged()) || null, { what: 'an acknowledgement' });
});

test('a process that waits for longer than its place is held keeps it', async () => {
  const { signal, world, act, code, acknowledgedBy } = await family();
  await act('trigger');
  const left = async () => {
    const [row] = await world.rows<{ s: number }>(
      'SELECT extract(epoch FROM until - tocsin_now()) AS s FROM listening',
    );
    return Number(row!.s);
  };
  const goesOn = signal.holdsBack();
  signal.write(ANNAS, await code());
  await signal.handedOut();
  await world.advance(5);
  await eventually(async () => (await left()) > 5 || null, { what: 'that it says so again' });
  goesOn();
  await acknowledgedBy('Anna');
});

test('a reply that was handed to a process that has lost the place acknowledges nevertheless', async () => {
  const both = await sharedByProcesses();
  const { signal, world, act, code, acknowledgedBy } = await family(both);
  await act('trigger');
  const goesOn = signal.holdsBack();
  signal.write(ANNAS, await code());
  await signal.handedOut();
  const another = "UPDATE listening SET holder = 'another', until = tocsin_now() + interval '8 s' RETURNING carrier";
  expect(await world.rows(another)).toHaveLength(1);
  goesOn();
  await acknowledgedBy('Anna');
});

test('whoever writes first is told their address, and a code that is sent there verifies it', async () => {
  const signal = await startSignal();
  onTestFinished(signal.stop);
  const { contacts, contact, contactId, send, tell, verified } = await aContact({
    carriers: { signal: signal.settings },
  });
  signal.write(ANNAS, 'hello');
  const { text } = await signal.next(({ to }) => to === ANNAS);
  const [address] = /signal:\+\d+/.exec(text)!;
  await contacts.updateContact({
    contact: { id: contactId, version: contact.version, channels: [{ channel: 'chat', address }] },
    updateMask: { paths: ['channels'] },
  });
  expect(await send('chat')).toMatchObject({ outcome: 'sent' });
  await tell(codeIn(signal.sent.at(-1)!.text), 'chat');
  expect(await verified()).toEqual(['chat']);
});

test('readiness warns of whoever has no other way than Signal, and of nobody who has', async () => {
  const { world, owner } = await family();
  const { readiness } = consoleOf(world, world.operator, owner.accountId);
  const { sources } = await readiness.getReadiness({});
  const found = sources.flatMap(({ findings }) => findings).filter(({ code }) => code === 'unsure_way');
  expect(found).toMatchObject([{ severity: 'warns', problem: expect.stringContaining('Ben') }]);
  expect(found[0]!.problem).not.toContain('Anna');
});
