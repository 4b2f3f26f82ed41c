import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { NOTICE_KINDS } from '../../services/domain/notice.ts';
import { LANGUAGES } from '../../services/words/languages.ts';
import { noticeWords } from '../../services/words/notice.ts';
import type { Words } from '../../services/words/types.ts';
import { madeUp } from '../support/made-up-language.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

/** A language is its words and one entry in this list: here it gets one more. */
const languages = LANGUAGES as Words[];
beforeAll(() => void languages.push(madeUp));
afterAll(() => void languages.pop());

/** A sentence of the made-up language from its beginning to its end. */
const SAID = /^zz .+ qq$/;

test('a language added by its words and one entry is spoken by mail, text, call, page and notice', async () => {
  const [smtp, twilio] = [await startSmtp(), await startTwilio()];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const world = await startWorld({
    smtpUrl: smtp.url,
    carriers: { twilio: twilio.settings },
    publicUrl: 'of the facade',
  });
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const phone = '+12025550111';
  const contactId = await owner.contact('Anna', { email: 'anna@example.com', text: phone, call: phone });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email', 'text', 'call'] }] }]);
  await world.rows("UPDATE contact SET locale = 'eo'");
  await world.rows("UPDATE account SET owner_locale = 'eo'");
  const [house, shed] = [
    await owner.alarm({ name: 'House', modes: { away: { policyId } } }),
    await owner.alarm({ name: 'Shed' }),
  ];
  const key = await owner.key();
  for (const id of [house, shed]) await world.get(`/v1/alarm/${id}/trigger`, key);
  await world.settle();

  const mailTo = (address: string) => smtp.mails.find(({ envelope }) => envelope.to.includes(address))!;
  const mail = mailTo('anna@example.com');
  expect(mail.subject).toBe('zz ALARM qq: House - zz Away qq (A key)');
  for (const line of mail.text!.trim().split('\n')) expect(line).toMatch(/^zz [^:]+ qq: /);
  expect(mail.text).toContain('zz The alarm "House" was triggered (mode: zz Away qq). qq');

  const lines = twilio.messages[0]!.fields.Body!.split('\n');
  expect([lines[0], lines.at(-1)]).toEqual([
    'zz ALARM qq (zz LIVE qq): House - zz Away qq (A key)',
    expect.stringMatching(/^zz Reply/),
  ]);

  const { said } = await twilio.answerCall((await twilio.nextCall()).sid);
  expect(said.length).toBeGreaterThan(0);
  for (const each of said) expect(each).toMatch(SAID);
  expect(said[0]).toContain('zz Hello Anna.');

  const url = /https?:\/\/\S+\/i\/[\w-]{48}/.exec(mail.text!)![0];
  const page = await (await fetch(url)).text();
  const texts = [...page.matchAll(/<(h2|dt|button|li|p)\b[^>]*>([^<]+)</g)].map(([, , text]) => text);
  expect(texts.length).toBeGreaterThan(9);
  for (const text of texts) expect(text).toMatch(SAID);
  expect(page).toContain('<html lang="eo">');

  expect(mailTo('owner@example.com')).toMatchObject({
    subject: 'zz NOBODY WAS ALERTED: Shed qq',
    text: expect.stringContaining('\nzz What to do qq: zz Give the mode'),
  });
});

test.each(NOTICE_KINDS)('a notice of %s is in that language, whatever is known', kind => {
  const { subject, explanation, todo } = noticeWords(kind, {}, 'last', { locale: 'eo', timeZone: 'UTC' });
  for (const text of [subject, explanation, todo]) expect(text).toMatch(SAID);
});

test('a language that lacks a sentence does not compile', () => {
  const { page, sms, owner, ...others } = madeUp;
  const { closed: _closed, ...pageLacks } = page;
  const { reply: _reply, ...smsLacks } = sms;
  const { noSuch: _noSuch, ...refusalsLack } = owner.refusals;
  const lacking = [
    // @ts-expect-error It does not say that an incident is closed.
    { ...others, sms, owner, page: pageLacks } satisfies Words,
    // @ts-expect-error It does not say how to reply.
    { ...others, page, owner, sms: smsLacks } satisfies Words,
    // @ts-expect-error It does not say that there is no such thing.
    { ...others, page, sms, owner: { ...owner, refusals: refusalsLack } } satisfies Words,
  ];
  expect(lacking).toHaveLength(3);
});
