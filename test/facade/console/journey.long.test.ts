import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPage, type Page } from '../../support/chromium.ts';
import { chromiumProgram } from '../../support/chromium-program.ts';
import { consoleOf } from '../../support/console.ts';
import { startFacadeApart } from '../../support/facade-apart.ts';
import { startSmtp } from '../../support/smtp.ts';
import { codeIn } from '../../support/verified.ts';
import { startWorld } from '../../support/world.ts';
import { PHONE, press, shows, signInByCode, text, type } from './console-rig.ts';

/** The first time it may have to be downloaded. */
beforeAll(async () => {
  await chromiumProgram();
}, 300_000);

/** So many things a newcomer does at most, from the sign-in to an alarm of their own that is live, and those of the sign-in. */
const INTERACTIONS_MOST = 25;
const TO_SIGN_IN = 4;

test('from nothing to an own live alarm, triggered by curl and acknowledged, on a phone', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url });
  const { account } = await consoleOf(world, world.operator, '').accounts.createAccount({
    account: { name: 'Example family', ownerEmail: 'otto@example.com', ownerTimeZone: 'Europe/Vienna' },
  });
  const beside = await world.account();
  const { url } = await startFacadeApart(new URL(world.rpcUrl).href, { rateLimits: 'on' });
  const own = consoleOf(world, world.operator, account!.id);
  const page = await openPage(url, PHONE);
  await signInByCode(page, smtp, 'otto@example.com');
  const { taps, writes, done } = counted(page);

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
  await taps('Begin with that');
  await taps('Add the alarm');
  await taps('Make a key');
  await shows(page, 'Waiting for the first call.');
  const line = await page.evaluate<string>(`document.querySelector('.shown-once code').innerText`);
  // Half-way through somebody reloads: what is done stays done, and the key is not shown a second time.
  expect(await curl(line)).toMatchObject({ error: false });
  await shows(page, 'It arrived:');
  await page.open(`${url}/start`);
  await shows(page, 'It arrived:');
  expect(await text(page)).not.toContain('toc_');
  await taps('Rehearse');
  await taps('Rehearse');
  await shows(page, 'Anna');
  await taps('Close');
  await taps('Go live');
  await shows(page, 'From then on a trigger tells Anna.');
  await taps('Go live');
  await shows(page, 'It is live.');
  expect(TO_SIGN_IN + done()).toBeLessThanOrEqual(INTERACTIONS_MOST);

  // What the trial opened is over before the real thing.
  expect(await curl(line.replace(/trigger$/, 'clear'))).toMatchObject({ error: false });
  await world.settle();
  expect(await curl(line)).toMatchObject({ error: false });
  await world.settle();
  await smtp.next(({ envelope, text }) => envelope.to.includes('anna@example.com') && text?.includes('House') === true);
  await page.open(url);
  await shows(page, 'House is triggered.');
  await page.tap('.acknowledge');
  await shows(page, 'Acknowledge House');
  await press(page, 'Acknowledge');
  await shows(page, 'has it.');
  const { incidents } = await own.incidents.listIncidents({ environment: 'live' });
  expect(incidents).toMatchObject([{ status: 'open', sourceName: 'House' }]);
  expect(incidents[0]!.acknowledgedAt).toBeDefined();
  expect(await beside.incidents()).toEqual([]);
});

/** Counts what somebody does. */
function counted(page: Page) {
  let interactions = 0;
  return {
    taps(label: string) {
      interactions += 1;
      return press(page, label);
    },
    writes(selector: string, words: string) {
      interactions += 1;
      return type(page, selector, words);
    },
    done: () => interactions,
  };
}

/** Runs the line as a shell does. */
async function curl(line: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line.replace('curl ', 'curl --silent ')]);
  return JSON.parse(stdout);
}
