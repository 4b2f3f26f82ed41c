import { expect, test } from 'vitest';
import { needsChromium, openPage } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startOidcProvider } from '../../support/oidc-provider.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, press, shows, startConsole, text } from './console-rig.ts';

needsChromium();

test('one press leads to the identity provider, and from there into the console', async () => {
  const provider = await startOidcProvider(email => ({ email, email_verified: true }));
  const { world, owner, url } = await startConsole({ oidc: provider.settings });
  // Where nothing else is set, people reach the console by this name; the provider is another site to it.
  const console = url.replace('127.0.0.1', 'localhost');
  provider.serve(`${console}/sign-in/oidc/callback`);
  await consoleOf(world, world.operator, owner.accountId).members.inviteMember({
    email: 'anna@example.com',
    role: 'editor',
    name: 'Anna',
  });
  const page = await openPage(url, DESK);
  const logIn = async (email: string) => {
    await press(page, 'Sign in with single sign-on');
    await eventually(() => page.evaluate(`document.querySelector('input[name=login]') !== null`), {
      what: 'the provider',
    });
    await page.evaluate(`(() => {
      document.querySelector('input[name=login]').value = ${JSON.stringify(email)};
      document.querySelector('input[name=password]').value = 'any';
      document.querySelector('form').submit();
    })()`);
  };
  await logIn('stranger@example.net');
  await shows(page, 'That sign-in did not open anything here.');
  expect(await text(page)).not.toContain('stranger');
  // The provider remembers who is signed in there.
  await page.open(`${provider.settings.issuer}/session/end`);
  await page.evaluate(`document.querySelector('button[name=logout]').click()`);
  await page.open(`${console}/sign-in`);
  await logIn('anna@example.com');
  await shows(page, 'Nothing is watched yet.');
  await shows(page, 'Editor');
  expect(await page.evaluate('location.href')).toBe(`${console}/`);
  expect(await page.evaluate('document.cookie')).toBe('');
});

test('without an identity provider there is no button for one', async () => {
  const { url } = await startConsole();
  const page = await openPage(`${url}/sign-in`, DESK);
  await shows(page, 'Email me a code');
  await page.evaluate(`fetch('rpc/tocsin.console.v1.SessionService/ListSignInWays', { method: 'POST',
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' }, body: '{}' }).then(got => got.text())`);
  expect(await text(page)).not.toContain('single sign-on');
});
