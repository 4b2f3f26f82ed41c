import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/console.ts';
import { codeIn, wrongCode } from '../../support/verified.ts';
import { aMailServer, anna } from './verification-rig.ts';

describe('a code that is entered in vain', () => {
  test('after five wrong ones the right one is worth nothing, until a new one is sent', async () => {
    const smtp = await aMailServer();
    const { world, send, tell, verified } = await anna({ smtpUrl: smtp.url });
    await send();
    const first = codeIn(smtp.mails[0]!.subject!);
    for (const left of [4, 3, 2, 1]) {
      const refused = await refusal(tell(wrongCode(first, left)));
      expect(refused.code).toBe('FailedPrecondition');
      expect(refused.message).toBe(
        `wrong: This is not the code that was sent to the email of Anna. ${left} of 5 attempts left: check the newest message.`,
      );
    }
    for (const code of [wrongCode(first), first]) {
      const refused = await refusal(tell(code));
      expect(refused).toMatchObject({ code: 'FailedPrecondition' });
      expect(refused.message).toMatch(/^too_many_guesses: .*: send a new one\.$/);
    }
    await world.advance(60);
    await send();
    const second = codeIn(smtp.mails[1]!.subject!);
    if (second !== first) expect((await refusal(tell(first))).message).toMatch(/^wrong: .* 4 of 5 /);
    await tell(second);
    expect(await verified()).toContain('email');
  });

  test('thirty guesses at once are five, and no more count', async () => {
    const smtp = await aMailServer();
    const { send, tell, verified } = await anna({ smtpUrl: smtp.url });
    await send();
    const code = codeIn(smtp.mails[0]!.subject!);
    const guesses = Array.from({ length: 30 }, (_, index) => refusal(tell(wrongCode(code, index + 1))));
    const words = (await Promise.all(guesses)).map(({ message }) => message.split(':')[0]!);
    expect(words.filter(word => word === 'wrong').length).toBe(4);
    expect(words.filter(word => word === 'too_many_guesses').length).toBe(26);
    expect((await refusal(tell(code))).message).toMatch(/^too_many_guesses/);
    expect(await verified()).not.toContain('email');
  });

  test('one that is ten minutes old', async () => {
    const smtp = await aMailServer();
    const { world, send, tell } = await anna({ smtpUrl: smtp.url });
    await send();
    const code = codeIn(smtp.mails[0]!.subject!);
    await world.advance(600);
    const refused = await refusal(tell(code));
    expect(refused).toMatchObject({ code: 'FailedPrecondition' });
    expect(refused.message).toMatch(/^expired: The code for the email of Anna expired after 10 minutes/);
  });

  test('where none was sent, and one of another channel', async () => {
    const smtp = await aMailServer();
    const { operator, send, tell, contactId } = await anna({ smtpUrl: smtp.url });
    expect((await refusal(tell('123456'))).message).toMatch(/^none_sent: No code has been sent to the email of Anna/);
    await send('email');
    await operator.contacts.sendVerificationCode({ contactId, channel: 'text' });
    const code = codeIn(smtp.mails[0]!.subject!);
    expect((await refusal(tell(code, 'text'))).message).toMatch(/^wrong: /);
  });

  test.each([
    ['letters', 'abcdef'],
    ['five digits', '12345'],
    ['nothing', ''],
    ['other digits', '１２３４５６'],
    ['a line feed', '123456\n'],
    ['10 KB', '1'.repeat(10_000)],
    ['SQL', "1' OR '1'='1"],
  ])('%s is no code, and no guess', async (_what, code) => {
    const { world, send, tell } = await anna();
    await send();
    const refused = await refusal(tell(code));
    expect(refused).toMatchObject({ code: 'InvalidArgument', fields: { code: expect.stringContaining('six digits') } });
    expect(refused.message.length).toBeLessThan(300);
    expect(await world.rows('SELECT guesses FROM verification')).toEqual([{ guesses: 0 }]);
  });
});

test('a code is refused for a channel that the contact does not have, for one that does not exist, and for a webhook', async () => {
  const { send, tell } = await anna();
  for (const channel of ['push', 'fax', '', 'x'.repeat(10_000)]) {
    for (const refused of [await refusal(send(channel)), await refusal(tell('123456', channel))]) {
      expect(refused).toMatchObject({ code: 'InvalidArgument' });
      expect(refused.fields.channel).toContain('takes one that Anna has (text, email, webhook)');
    }
  }
  for (const refused of [await refusal(send('webhook')), await refusal(tell('123456', 'webhook'))]) {
    expect(refused.fields.channel).toContain('a webhook needs no code');
  }
});
