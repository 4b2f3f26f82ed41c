import { expect, onTestFinished, test } from 'vitest';
import { ANNAS_NUMBER, aPhoneAccount, aPhoneHome, BENS_NUMBER } from '../rpc/responder/responder-carrier-rig.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import type { Twiml } from '../support/twiml.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';

/* People answer by a key on a call and by a text (DECISIONS.md "Acknowledge"), with a carrier that behaves like the real one. */

const spokenText = ({ said }: Twiml) => said.join(' ');

test('a call says what fired; 2 repeats it, another key is not understood, 1 acknowledges it and stops the escalation', async () => {
  const { world, owner, twilio, act } = await aPhoneHome(['call']);
  await act('trigger');
  const { sid } = await twilio.nextCall();
  const first = spokenText(await twilio.answerCall(sid));
  expect(first).toContain('House');
  expect(spokenText(await twilio.press(sid, '2'))).toContain('House');
  expect(spokenText(await twilio.press(sid, '7'))).toContain('House');
  expect((await owner.incidents())[0]!.acknowledgedBy).toBe('');
  const gathered = twilio.calls[0]!.fields;
  const confirmed = spokenText(await twilio.press(sid, '1'));
  expect((await owner.incidents())[0]).toMatchObject({ acknowledgedBy: 'Anna', status: 'open' });
  // The carrier sends it again: it comes to what it came to.
  const again = await twilio.post(
    gathered.StatusCallback!.replace('/status/', '/key/'),
    new URLSearchParams({ CallSid: sid, Digits: '1' }),
  );
  expect(again.body).toContain(confirmed);
  await world.advance(3600);
  expect(twilio.messages).toEqual([]);
});

test('whoever answers a call late hears that it is over, and who acknowledged it', async () => {
  const { owner, twilio, act, inbound, code } = await aPhoneHome(['call', 'text']);
  await act('trigger');
  const { sid } = await twilio.nextCall();
  await twilio.replyTo(ANNAS_NUMBER, await code(), inbound);
  expect(spokenText(await twilio.answerCall(sid))).toContain('Anna');
  await act('clear');
  const over = await twilio.answerCall(sid);
  expect(spokenText(over)).not.toContain('House');
  expect(over.gathers).toEqual([]);
  expect(await owner.incidents()).toMatchObject([{ status: 'closed', closeReason: 'clear' }]);
});

test('a reply with the code acknowledges for the person who got the text, and says so; nobody else learns anything', async () => {
  const { world, owner, twilio, act, inbound, code } = await aPhoneHome();
  const outsider = await aPhoneAccount(world, ['text'], '+436601111111');
  await outsider.act('trigger');
  await act('trigger');
  const word = await code();
  const message = await twilio.nextMessage(({ fields }) => fields.To === ANNAS_NUMBER);
  expect(message.fields.Body).toContain(word);

  const unknown = await twilio.replyTo('+436601111111', word, inbound);
  const made = word === 'BCDF' ? 'GHJK' : 'BCDF';
  const madeUp = await twilio.replyTo('+436609999999', made, inbound);
  expect(unknown?.replaceAll(word, 'CODE')).toBe(madeUp?.replaceAll(made, 'CODE'));
  expect(await twilio.replyTo(ANNAS_NUMBER, 'who is this?', inbound)).not.toBeNull();
  expect(await twilio.replyTo(ANNAS_NUMBER, 'STOP', inbound)).toBeNull();
  expect((await owner.incidents())[0]!.acknowledgedBy).toBe('');

  expect(await twilio.replyTo(ANNAS_NUMBER, ` ok ${word.toLowerCase()} `, inbound)).not.toBeNull();
  expect((await owner.incidents())[0]).toMatchObject({ acknowledgedBy: 'Anna', status: 'open' });
  expect((await outsider.owner.incidents())[0]).toMatchObject({ acknowledgedBy: '', status: 'open' });
  // Ben was not told yet and needs not be; he may ask all the same.
  expect(await twilio.replyTo(BENS_NUMBER, word, inbound)).toContain('Anna');
  await world.advance(3600);
  expect(twilio.messages.filter(({ fields }) => fields.To === BENS_NUMBER)).toHaveLength(1);
});

test('the same code in several accounts: a reply acknowledges what its number was alerted of, newest first, and nothing in an account where that number was never verified', async () => {
  const { world, owner, twilio, act, inbound, code } = await aPhoneHome();
  await act('trigger');
  const word = await code();
  const [another, thief] = [
    await aPhoneAccount(world, ['text'], ANNAS_NUMBER),
    await aPhoneAccount(world, ['text'], ANNAS_NUMBER),
  ];
  await world.rows('UPDATE contact_channel SET verified_at = NULL WHERE account_id = $1', [thief.owner.accountId]);
  for (const { act } of [another, thief]) {
    await world.advance(1);
    await act('trigger');
  }
  await world.rows('UPDATE incident SET reply_code = $1', [word]);
  const acknowledgedBy = async () => {
    const all = [owner, another.owner, thief.owner].map(async one => (await one.incidents())[0]!.acknowledgedBy);
    return Promise.all(all);
  };
  for (const by of [
    ['', 'Anna', ''],
    ['Anna', 'Anna', ''],
    ['Anna', 'Anna', ''],
  ]) {
    expect(await twilio.replyTo(ANNAS_NUMBER, word, inbound)).not.toBeNull();
    expect(await acknowledgedBy()).toEqual(by);
  }
});

test('a machine that answers every text gets five answers and no more; what it says still counts', async () => {
  const { owner, twilio, act, inbound, code } = await aPhoneHome();
  await act('trigger');
  const answers: (string | null)[] = [];
  for (let n = 0; n < 8; n++) answers.push(await twilio.replyTo(ANNAS_NUMBER, 'I am on holiday.', inbound));
  expect(answers.filter(answer => answer !== null)).toHaveLength(5);
  expect(await twilio.replyTo(ANNAS_NUMBER, await code(), inbound)).toBeNull();
  expect((await owner.incidents())[0]!.acknowledgedBy).toBe('Anna');
});

test('a crowd of unknown numbers gets sixty answers an hour and no more; whoever has the code is still answered', async () => {
  const { owner, twilio, act, inbound, code } = await aPhoneHome();
  await act('trigger');
  const crowd = Array.from({ length: 64 }, (_, nth) => `+43660999${String(nth).padStart(4, '0')}`);
  const answers: (string | null)[] = [];
  for (const number of crowd) answers.push(await twilio.replyTo(number, 'Win a prize', inbound));
  expect(answers.map(answer => answer !== null)).toEqual([...Array(60).fill(true), ...Array(4).fill(false)]);
  expect(await twilio.replyTo(ANNAS_NUMBER, await code(), inbound)).not.toBeNull();
  expect((await owner.incidents())[0]!.acknowledgedBy).toBe('Anna');
});

test('forged key presses and replies acknowledge nothing', async () => {
  const { owner, twilio, act, inbound, code } = await aPhoneHome(['call', 'text']);
  await act('trigger');
  const { sid } = await twilio.nextCall();
  await twilio.answerCall(sid);
  await expect(twilio.press(sid, '1', { signs: 'wrong' })).rejects.toThrow('403');
  await expect(twilio.replyTo(ANNAS_NUMBER, await code(), inbound, { signs: 'missing' })).rejects.toThrow('403');
  expect((await owner.incidents())[0]!.acknowledgedBy).toBe('');
});

test('the reply code stands only in messages to whoever gets texts', async () => {
  const [smtp, twilio] = [await startSmtp(), await startTwilio()];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const told = async (options: WorldOptions) => {
    const world = await startWorld({ smtpUrl: smtp.url, publicUrl: 'of the facade', ...options });
    const owner = await world.account();
    const anna = await owner.contact('Anna', { email: 'anna@example.com', text: '+12025550111' });
    const ben = await owner.contact('Ben', { email: 'ben@example.com', text: '+12025550112' });
    const contacts = [
      { contactId: anna, channels: ['email' as const, 'text' as const] },
      { contactId: ben, channels: ['email' as const] },
    ];
    const policyId = await owner.policy([{ delayS: 0, contacts }]);
    const before = smtp.mails.length;
    await world.get(`/v1/panic/${await owner.panicButton({ policyId })}/trigger`, await owner.key());
    await world.settle();
    return smtp.mails.slice(before).map(({ envelope, text }) => [envelope.to[0], text?.includes('Reply code')]);
  };
  expect((await told({ carriers: { twilio: twilio.settings } })).sort()).toEqual([
    ['anna@example.com', true],
    ['ben@example.com', false],
  ]);
  expect((await told({})).map(([, has]) => has)).toEqual([false, false]);
});
