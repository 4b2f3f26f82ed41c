import { onTestFinished } from 'vitest';
import type { Config } from '../../../facade/config.ts';
import { openPage, type Page, type Screen } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startFacadeApart } from '../../support/facade-apart.ts';
import { startLine } from '../../support/line.ts';
import { type Smtp, startSmtp } from '../../support/smtp.ts';
import { codeIn } from '../../support/verified.ts';
import { eventually } from '../../support/wait.ts';
import { startWorld, type WorldOptions } from '../../support/world.ts';

export const DESK: Screen = { width: 1280, height: 860, scripts: 'on' };
export const PHONE: Screen = { width: 390, height: 844, scripts: 'on' };

/** The product apart: a facade with the console, and services behind a line that can be cut. `config`: of the facade. */
export async function startConsole(options: WorldOptions = {}, config: Partial<Config> = {}) {
  const world = await startWorld(options);
  const owner = await world.account();
  await world.rows("UPDATE account SET name = 'Example family', owner_time_zone = 'Europe/Vienna' WHERE id = $1", [
    owner.accountId,
  ]);
  const line = await startLine(Number(new URL(world.rpcUrl).port));
  const facade = await startFacadeApart(`http://127.0.0.1:${line.port}`, { rateLimits: 'on', ...config });
  return { world, owner, line, url: facade.url };
}

/** Fills the account: a house that alerts Anna and then Noah, and what else stands in a home. */
export async function furnish({ owner }: Awaited<ReturnType<typeof startConsole>>, name = 'House') {
  const anna = await owner.contact('Anna', { email: 'anna@example.com', text: '+12025550101' });
  const noah = await owner.contact('Noah', { email: 'noah@example.com' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email', 'text'] }] },
    { delayS: 300, contacts: [{ contactId: noah, channels: ['email'] }] },
  ]);
  const bound = { policyId };
  const modes = { home: bound, away: bound, night: bound, vacation: bound };
  const [house, workshop] = [await owner.alarm({ name, modes }), await owner.alarm({ name: 'Workshop', modes })];
  await owner.alarm({ name: 'Garage', test: true });
  await owner.panicButton({ name: 'Bedside', policyId });
  return { house, workshop, key: await owner.key() };
}

/** A furnished house, and what the operator sees of it over RPC. */
export async function aHouse() {
  const started = await startConsole();
  const { world, owner } = started;
  const ids = await furnish(started);
  return { ...started, ...ids, seen: consoleOf(world, world.operator, owner.accountId) };
}

/** Signs in with a console token, as on the first day. */
export async function signIn(page: Page, token: string): Promise<void> {
  await shows(page, 'Email me a code');
  await page.evaluate(`document.querySelector('details').open = true`);
  await type(page, 'input[name=token]', token);
  await page.evaluate(`document.querySelector('details form').requestSubmit()`);
}

export async function openConsole(url: string, token: string, screen: Screen): Promise<Page> {
  const page = await openPage(url, screen);
  await signIn(page, token);
  await shows(page, 'Up to date');
  return page;
}

/** A console with a mail server, where members sign in by a code. */
export async function startConsoleWithMail() {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const started = await startConsole({ smtpUrl: smtp.url });
  const { world, owner, url } = started;
  return {
    ...started,
    smtp,
    /** What the operator sees of the account over RPC. */
    seen: consoleOf(world, world.operator, owner.accountId),
    /** A page in which a member of a role is signed in; their email address is their name at example.com. */
    async openAs(role: string, name: string, screen = DESK): Promise<Page> {
      const email = `${name.toLowerCase()}@example.com`;
      await consoleOf(world, world.operator, owner.accountId).members.inviteMember({ email, role, name });
      const page = await openPage(url, screen);
      await signInByCode(page, smtp, email);
      return page;
    },
  };
}

/** Signs in with the code of a mail. */
export async function signInByCode(page: Page, smtp: Smtp, email: string): Promise<void> {
  await shows(page, 'Email me a code');
  await type(page, 'input[name=email]', email);
  const before = smtp.mails.length;
  await press(page, 'Email me a code');
  const { subject = '' } = await smtp.next(mail => smtp.mails.indexOf(mail) >= before);
  await shows(page, 'a code of six digits is on its way');
  await type(page, 'input[name=code]', codeIn(subject));
  await press(page, 'Sign in');
  await shows(page, 'Up to date');
}

/** Presses the first button or link that says something, as soon as there is one; in the dialog where one is open. */
export async function press(page: Page, label: string): Promise<void> {
  const wanted = JSON.stringify(label);
  await eventually(
    () =>
      page.evaluate<boolean>(`(() => {
        const within = document.querySelector('dialog[open]') ?? document.querySelector('main');
        const all = [...within.querySelectorAll('button, a, summary')];
        const one = all.find(one => !one.disabled && (one.innerText.trim() === ${wanted} || one.ariaLabel === ${wanted}));
        one?.click();
        return one !== undefined;
      })()`),
    { what: `a button “${label}”` },
  );
}

/** Chooses in a list by value or by what it shows, as soon as it is there. */
export async function choose(page: Page, selector: string, value: string): Promise<void> {
  await eventually(
    () =>
      page.evaluate<boolean>(`(() => {
        const field = document.querySelector(${JSON.stringify(selector)});
        const option = [...(field?.options ?? [])].find(({ value, text }) => [value, text].includes(${JSON.stringify(value)}));
        // Some lists are read when somebody turns to them.
        if (option === undefined) field?.focus();
        if (option === undefined) return false;
        field.value = option.value;
        field.dispatchEvent(new Event('change', { bubbles: true }));
        return true;
      })()`),
    { what: `the choice ${value} in ${selector}` },
  );
}

/** Chooses in the list that is called so. */
export const chooseIn = (page: Page, label: string, value: string) =>
  page.evaluate(`(() => {
    const field = [...document.querySelectorAll('main .field')].find(one => one.firstChild.innerText === ${JSON.stringify(label)});
    const choice = field.querySelector('select');
    choice.value = ${JSON.stringify(value)};
    choice.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);

/** Ticks a box, or unticks it, as soon as it is there. */
export async function tick(page: Page, selector: string): Promise<void> {
  const box = `document.querySelector(${JSON.stringify(selector)})`;
  await eventually(() => page.evaluate<boolean>(`${box}?.click() === undefined && ${box} !== null`), {
    what: `a box ${selector}`,
  });
}

/** What the buttons of the screen say. */
export const buttons = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main button')].map(one => one.innerText)`);

/** Writes into a field as somebody would. */
export async function type(page: Page, selector: string, text: string): Promise<void> {
  await eventually(() => page.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)}) !== null`), {
    what: `a field ${selector}`,
  });
  await page.evaluate(`(() => {
    const field = document.querySelector(${JSON.stringify(selector)});
    field.focus();
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
}

export const text = (page: Page) => page.evaluate<string>('document.body.innerText');

export async function shows(page: Page, wanted: string, within = 10_000): Promise<void> {
  await eventually(async () => (await text(page)).includes(wanted), { what: `the page to show “${wanted}”`, within });
}
