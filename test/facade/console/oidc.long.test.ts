import { expect, test } from 'vitest';
import { needsChromium, openPage, type Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startOidcProvider } from '../../support/oidc-provider.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, furnish, press, shows, startConsole, text } from './console-rig.ts';

needsChromium();

/** A house of which Anna is a member, with an identity provider, and how somebody logs in there. */
async function withProvider() {
  const provider = await startOidcProvider(email => ({ email, email_verified: true }));
  const started = await startConsole({ oidc: provider.settings });
  const { world, owner, url } = started;
  // Where nothing else is set, people reach the console by this name; the provider is another site to it.
  const console = url.replace('127.0.0.1', 'localhost');
  provider.serve(`${console}/sign-in/oidc/callback`);
  await consoleOf(world, world.operator, owner.accountId).members.inviteMember({
    email: 'anna@example.com',
    role: 'editor',
    name: 'Anna',
  });
  async function logIn(page: Page, email: string): Promise<void> {
    await press(page, 'Sign in with single sign-on');
    await eventually(() => page.evaluate(`document.querySelector('input[name=login]') !== null`), {
      what: 'the provider',
    });
    await page.evaluate(`(() => {
      document.querySelector('input[name=login]').value = ${JSON.stringify(email)};
      document.querySelector('input[name=password]').value = 'any';
      document.querySelector('form').submit();
    })()`);
  }
  /** The provider remembers who is signed in there. */
  async function logOut(page: Page): Promise<void> {
    await page.open(`${provider.settings.issuer}/session/end`);
    await page.evaluate(`document.querySelector('button[name=logout]').click()`);
    await eventually(() => page.evaluate(`document.querySelector('button[name=logout]') === null`), {
      what: 'the end',
    });
  }
  return { ...started, console, logIn, logOut };
}

test('one press leads to the identity provider, and from there into the console', async () => {
  const { url, console, logIn, logOut } = await withProvider();
  const page = await openPage(url, DESK);
  await logIn(page, 'stranger@example.net');
  await shows(page, 'That sign-in was refused.');
  expect(await text(page)).not.toContain('stranger');
  await logOut(page);
  await page.open(`${console}/sign-in`);
  await logIn(page, 'anna@example.com');
  await shows(page, 'Nothing is set up yet.');
  await shows(page, 'Editor');
  expect(await page.evaluate('location.href')).toBe(`${console}/`);
  expect(await page.evaluate('document.cookie')).toBe('');
});

test('whoever opens a screen before they are signed in comes to it, after a try that failed too', async () => {
  const started = await withProvider();
  const { world, owner, url, console, logIn, logOut } = started;
  const { house, key } = await furnish(started);
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const [incident] = await owner.incidents();
  const screen = `incidents/${incident!.id}`;
  const page = await openPage(`${url}/${screen}`, DESK);
  await shows(page, 'You are signed out.');
  await logIn(page, 'stranger@example.net');
  await shows(page, 'That sign-in was refused.');
  await logOut(page);
  await page.open(`${console}/sign-in?failed=refused&to=${encodeURIComponent(screen)}`);
  await logIn(page, 'anna@example.com');
  await shows(page, 'What happened');
  expect(await page.evaluate('location.href')).toBe(`${console}/${screen}`);
});

test('without an identity provider there is no button for one', async () => {
  const { url } = await startConsole();
  const page = await openPage(`${url}/sign-in`, DESK);
  await shows(page, 'Email me a code');
  await page.evaluate(`fetch('rpc/tocsin.console.v1.SessionService/ListSignInWays', { method: 'POST',
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' }, body: '{}' }).then(got => got.text())`);
  expect(await text(page)).not.toContain('single sign-on');
});
