import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { responderOf, tokenOf } from '../../rpc/responder/responder-rig.ts';
import { needsChromium, openPage } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startFacadeApart } from '../../support/facade-apart.ts';
import { type Mail, startSmtp } from '../../support/smtp.ts';
import { codeIn } from '../../support/verified.ts';
import { startWorld } from '../../support/world.ts';
import { DESK, PHONE, shows, text } from './console-rig.ts';
import { byKeyboard, byTouch, counted } from './hands.ts';

needsChromium();

/** So many things a newcomer does at most, from the link that the first start prints to an alarm of their own that is live. */
const INTERACTIONS_MOST = 25;
const TO_OPEN_THE_PAGE = 1;

test.each([
  { title: 'by touch, on a phone', who: 'operator', screen: PHONE, by: byTouch },
  { title: 'by keyboard alone', who: 'operator', screen: DESK, by: byKeyboard },
  { title: 'by touch, on a phone, by a member', who: 'member', screen: PHONE, by: byTouch },
])('from an empty deployment to an own live alarm, triggered by curl and acknowledged, $title', async ({
  who,
  screen,
  by,
}) => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url });
  const operator = consoleOf(world, world.operator);
  const { url } = await startFacadeApart(new URL(world.rpcUrl).href, { rateLimits: 'on' });
  if (who === 'member')
    await operator.accounts.createAccount({ account: { name: 'Example family', ownerEmail: 'otto@example.com' } });
  const link = (await operator.sessions.createSignInLink({})).url;
  const page = await openPage(who === 'operator' ? `${url}/sign-in${link.slice(link.indexOf('#'))}` : url, screen);
  const { taps, writes, done } = counted(by(page));
  const mailed = async (to: string) => {
    const isCode = ({ envelope, subject = '' }: Mail) => envelope.to.includes(to) && /\b[0-9]{6}\b/.test(subject);
    return codeIn((await smtp.next(isCode)).subject ?? '');
  };

  if (who === 'operator') {
    await taps('Sign in on this device');
    await writes('input[name=accountName]', 'Example family');
    await taps('Create the account');
    await taps('I have it');
  } else {
    await writes('input[name=email]', 'otto@example.com');
    await taps('Email me a code');
    await writes('input[name=code]', await mailed('otto@example.com'));
    await taps('Sign in');
    await taps('Begin');
  }
  await taps('Add the place');
  const { accounts } = await operator.accounts.listAccounts({});
  expect(accounts).toMatchObject([{ name: 'Example family' }]);
  const own = consoleOf(world, world.operator, accounts[0]!.id);
  const beside = await world.account();
  await writes('input[name=person]', 'Anna');
  await writes('input[name=email]', 'anna at example');
  await taps('Add this person');
  await shows(page, 'an email address such as');
  expect(await page.evaluate(`document.querySelector('input[name=person]').value`)).toBe('Anna');
  await writes('input[name=email]', 'anna@example.com');
  await taps('Add this person');
  await taps('Send the code');
  await writes('input[name=code]', await mailed('anna@example.com'));
  await taps('Verify the code');
  await taps('Start with that');
  await taps('Add the alarm');
  await taps('Create a key');
  await shows(page, 'Waiting for the first call.');
  const line = await page.evaluate<string>(`document.querySelector('.recipe textarea').value`);
  // Half-way through somebody reloads: what is done stays done, and the key is not shown a second time.
  expect(await curl(line)).toMatchObject({ error: false });
  await shows(page, 'It arrived:');
  await page.open(`${url}/start`);
  await shows(page, 'It arrived:');
  expect(await text(page)).not.toContain('toc_');
  await taps('Rehearse');
  await shows(page, 'A real trigger in test', 30_000);
  await taps('Rehearse');
  // Not before it has ended: the dialog grows with what it says, and moves what is tapped.
  await shows(page, 'Once more');
  await shows(page, 'Anna');
  await taps('Close');
  await taps('Go live');
  await shows(page, 'From then on, a trigger alerts Anna.');
  await taps('Go live');
  await shows(page, 'Does it wake them?');
  await taps('Ask for an answer');
  await shows(page, 'A drill is on its way.');
  await world.settle();
  const [drill] = await world.rows<{ id: string }>("SELECT id FROM delivery WHERE status <> 'suppressed'");
  await responderOf(world).acknowledgeByLink({ token: tokenOf(drill!) });
  await shows(page, 'It is live.');
  expect(TO_OPEN_THE_PAGE + done()).toBeLessThanOrEqual(INTERACTIONS_MOST);

  // What the trial opened is over before the real thing.
  expect(await curl(line.replace('/trigger', '/clear'))).toMatchObject({ error: false });
  await world.settle();
  expect(await curl(line)).toMatchObject({ error: false });
  // Of a disarmed alarm the window of away counts.
  await world.advance(30);
  await smtp.next(({ envelope, text }) => envelope.to.includes('anna@example.com') && text?.includes('House') === true);
  await page.open(url);
  await shows(page, 'House is triggered.');
  await taps('Acknowledge');
  await shows(page, 'Acknowledge House');
  await taps('Acknowledge');
  await shows(page, 'Acknowledged by');
  const { incidents } = await own.incidents.listIncidents({ environment: 'live' });
  expect(incidents).toMatchObject([{ status: 'open', sourceName: 'House' }]);
  expect(incidents[0]!.acknowledgedAt).toBeDefined();
  expect(await beside.incidents()).toEqual([]);
}, 120_000);

/** Runs the text as a shell does. */
async function curl(text: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-ec', text]);
  return JSON.parse(stdout);
}
