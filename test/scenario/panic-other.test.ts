import { expect, onTestFinished, test } from 'vitest';
import { tokenOf as consoleToken } from '../rpc/incident/incident-rig.ts';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "Panic response": what else a panic button asks for is in its owner's words, everywhere the same. */

const WORDS = 'Bring the pump';

test('other, in its owner’s words, is in mail, text, call, page, command line and file', async () => {
  const [smtp, twilio] = [await startSmtp(), await startTwilio()];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const world = await startWorld({
    smtpUrl: smtp.url,
    carriers: { twilio: twilio.settings },
    publicUrl: 'of the facade',
  });
  const owner = await world.account();
  const anna = await owner.contact('Anna', {
    email: 'anna@example.com',
    text: '+12025550111',
    call: '+12025550111',
  });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email', 'text', 'call'] }] },
  ]);
  const own = consoleOf(world, await consoleToken(world, owner, 'A token'));
  const { panicButton } = await own.panicButtons.createPanicButton({
    panicButton: {
      name: 'Cellar',
      locationId: owner.locationId,
      responseKind: 'other',
      responseText: WORDS,
      policyId,
      test: false,
    },
  });
  expect(panicButton).toMatchObject({ responseKind: 'other', responseText: WORDS });
  expect((await world.get(`/v1/panic/${panicButton!.id}/trigger`, await owner.key())).status).toBe(202);
  await world.settle();

  const [mail] = smtp.mails;
  expect(mail).toMatchObject({
    subject: `PANIC (${WORDS}): Cellar (A key)`,
    text: expect.stringContaining(`was pressed (${WORDS}).`),
  });
  expect(twilio.messages[0]!.fields.Body).toContain(WORDS);
  const { said } = await twilio.answerCall((await twilio.nextCall()).sid);
  expect(said.join(' ')).toContain(`The emergency is: ${WORDS}.`);
  const page = await (await fetch(/https?:\/\/\S+\/i\/[\w-]{48}/.exec(mail!.text!)![0])).text();
  expect(page).toContain(WORDS);
  expect(await owner.incidents()).toMatchObject([{ responseKind: 'other', responseText: WORDS }]);
  const { text } = await own.configuration.export({});
  expect(text).toContain(`responseKind: other, responseText: ${WORDS},`);
});

test('other without words, words without other, and too many of them are refused by name', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  const { console: outsider } = await newOwner(world, 'Another owner');
  await own.locations.createLocation({ location: { name: 'Home' } });
  const made = (responseKind: string, responseText: string, by = own) =>
    by.panicButtons.createPanicButton({
      panicButton: { name: 'Cellar', locationId: 'home', responseKind, responseText },
    });
  for (const [kind, words, problem] of [
    ['other', '', 'takes 1 to 40 characters where the response is other'],
    ['fire', WORDS, 'takes nothing where the response is fire'],
    ['other', 'x'.repeat(41), 'takes at most 40 characters'],
    ['other', 'two\nlines', 'in one line'],
  ] as const) {
    expect(await refusal(made(kind, words))).toMatchObject({
      code: 'InvalidArgument',
      fields: { responseText: expect.stringContaining(problem) },
    });
  }
  expect((await own.panicButtons.listPanicButtons({})).panicButtons).toEqual([]);
  const { panicButton } = await made('other', 'x'.repeat(40));
  expect(await refusal(outsider.panicButtons.getPanicButton({ panicButtonId: panicButton!.id }))).toMatchObject({
    code: 'NotFound',
  });
  const { id, version } = panicButton!;
  const changed = await own.panicButtons.updatePanicButton({
    panicButton: { id, version, responseKind: 'medical', responseText: '' },
    updateMask: { paths: ['response_kind', 'response_text'] },
  });
  expect(changed.panicButton).toMatchObject({ responseKind: 'medical', responseText: '' });
});
