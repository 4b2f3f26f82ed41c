import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { needsChromium, openPage } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startFacadeApart } from '../../support/facade-apart.ts';
import { startSmtp } from '../../support/smtp.ts';
import { codeIn } from '../../support/verified.ts';
import { startWorld } from '../../support/world.ts';
import { DESK, PHONE, shows, signInByCode, text } from './console-rig.ts';
import { byKeyboard, byTouch, counted } from './hands.ts';

needsChromium();

/** So many things a newcomer does at most, from the sign-in to an alarm of their own that is live, and those of the sign-in. */
const INTERACTIONS_MOST = 25;
const TO_SIGN_IN = 4;

test.each([
  { title: 'by touch, on a phone', screen: PHONE, by: byTouch },
  { title: 'by keyboard alone', screen: DESK, by: byKeyboard },
])('from nothing to an own live alarm, triggered by curl and acknowledged, $title', async ({ screen, by }) => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url });
  const { account } = await consoleOf(world, world.operator, '').accounts.createAccount({
    account: { name: 'Example family', ownerEmail: 'otto@example.com', ownerTimeZone: 'Europe/Vienna' },
  });
  const beside = await world.account();
  const { url } = await startFacadeApart(new URL(world.rpcUrl).href, { rateLimits: 'on' });
  const own = consoleOf(world, world.operator, account!.id);
  const page = await openPage(url, screen);
  await signInByCode(page, smtp, 'otto@example.com');
  const { taps, writes, done } = counted(by(page));

  await taps('Begin');
  await taps('Add the place');
  await writes('input[name=person]', 'Anna');
  await writes('input[name=email]', 'anna at example');
  await taps('Add this person');
  await shows(page, 'an email address such as');
  expect(await page.evaluate(`document.querySelector('input[name=person]').value`)).toBe('Anna');
  await writes('input[name=email]', 'anna@example.com');
  await taps('Add this person');
  await taps('Send the code');
  const { subject = '' } = await smtp.next(({ envelope }) => envelope.to.includes('anna@example.com'));
  await writes('input[name=code]', codeIn(subject));
  await taps('Verify the code');
  await taps('Start with that');
  await taps('Add the alarm');
  await taps('Create a key');
  await shows(page, 'Waiting for the first call.');
  const line = await page.evaluate<string>(`document.querySelector('.copying code').innerText`);
  // Half-way through somebody reloads: what is done stays done, and the key is not shown a second time.
  expect(await curl(line)).toMatchObject({ error: false });
  await shows(page, 'It arrived:');
  await page.open(`${url}/start`);
  await shows(page, 'It arrived:');
  expect(await text(page)).not.toContain('toc_');
  await taps('Rehearse');
  await shows(page, 'A real trigger in test');
  await taps('Rehearse');
  // Not before it has ended: the dialog grows with what it says, and moves what is tapped.
  await shows(page, 'Once more');
  await shows(page, 'Anna');
  await taps('Close');
  await taps('Go live');
  await shows(page, 'From then on, a trigger alerts Anna.');
  await taps('Go live');
  await shows(page, 'It is live.');
  expect(TO_SIGN_IN + done()).toBeLessThanOrEqual(INTERACTIONS_MOST);

  // What the trial opened is over before the real thing.
  expect(await curl(line.replace(/trigger$/, 'clear'))).toMatchObject({ error: false });
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

/** Runs the line as a shell does. */
async function curl(line: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line.replace('curl ', 'curl --silent ')]);
  return JSON.parse(stdout);
}
