import { expect, test } from 'vitest';
import { needsChromium, openPage, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { PHONE, press, shows, startConsoleWithMail, text } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

/** Notes what the door answers, as a camera would read it from the screen: the code is a picture, and its text stands in that answer. */
const NOTES = `{
  const asked = window.fetch;
  window.told = [];
  window.fetch = async (...of) => {
    const answer = await asked(...of);
    if (String(of[0]?.url ?? of[0]).endsWith('CreatePhoneLink'))
      window.told.push(new TextDecoder('latin1').decode(await answer.clone().arrayBuffer()));
    return answer;
  };
}`;

/** Shows a code on the desk. Gives the address that it leads to. */
async function codeOn(desk: Page, url: string): Promise<string> {
  await desk.ask('Page.addScriptToEvaluateOnNewDocument', { source: NOTES });
  await desk.open(`${url}/settings/access`);
  await press(desk, 'Sign in on your phone');
  await shows(desk, 'point it here');
  const secret = await eventually(
    () => desk.evaluate<string>(`/tcp_\\w{36}\\.\\w{32}/.exec(told.at(-1) ?? '')?.[0] ?? ''`),
    {
      what: 'the code',
    },
  );
  return `${url}/sign-in#${secret}`;
}

test('a code on the desk signs in the phone, which asks first; the desk says so, and can end it', async () => {
  const console = await startConsoleWithMail();
  const { url } = console;
  const desk = await console.openAs('responder', 'Rita');
  const link = await codeOn(desk, url);
  expect(await faultsOf(desk, 'phone-code')).toEqual([]);
  const phone = await openPage(link, PHONE);
  await shows(phone, 'Sign in as Rita here?');
  expect(await phone.evaluate('location.href')).toBe(`${url}/sign-in`);
  await shows(phone, 'Example family');
  expect(await faultsOf(phone, 'phone-asks')).toEqual([]);
  await phone.turnTo(PHONE);
  expect(await text(desk)).toContain('point it here');
  await press(phone, 'Sign in on this device');
  await shows(phone, 'Up to date');
  await shows(desk, 'Another device is signed in');
  expect(await desk.evaluate('document.querySelector(".qr")')).toBe(null);
  const kept = `document.documentElement.outerHTML + location.href + document.cookie
    + JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])`;
  expect(await phone.evaluate<string>(kept)).not.toContain(link.split('#')[1]);

  const late = await openPage(link, PHONE);
  await shows(late, 'This code is not valid any more');
  await press(late, 'Do not sign in');
  await shows(late, 'Email me a code');

  const end = `[...document.querySelectorAll('li.row')].find(row => !row.innerText.includes('This device')).querySelector('button')`;
  await eventually(() => desk.evaluate(`${end} !== undefined`), { what: 'the session in the list' });
  await desk.evaluate(`${end}.click()`);
  await shows(phone, 'Email me a code');
});

test('where the services are away the phone asks again, with the code that it has', async () => {
  const console = await startConsoleWithMail();
  const { url, line } = console;
  const desk = await console.openAs('responder', 'Rita');
  const link = await codeOn(desk, url);
  line.cut();
  const phone = await openPage(link, PHONE);
  await eventually(() => phone.evaluate(`document.querySelector('.notice.bad') !== null`), {
    what: 'it to say that',
    within: 15_000,
  });
  line.mend();
  await press(phone, 'Try again');
  await shows(phone, 'Sign in as Rita here?', 15_000);
});

test('whoever does not want to is signed in nowhere, and the code stays good; hidden, it is gone from the screen', async () => {
  const console = await startConsoleWithMail();
  const { url } = console;
  const desk = await console.openAs('viewer', 'Vera');
  const link = await codeOn(desk, url);
  const phone = await openPage(link, PHONE);
  await shows(phone, 'Sign in as Vera here?');
  await press(phone, 'Do not sign in');
  await shows(phone, 'Email me a code');
  await press(desk, 'Hide the code');
  await eventually(() => desk.evaluate('document.querySelector(".qr") === null'), { what: 'the code to be gone' });
  await phone.open(`${url}/docs/console`);
  await phone.open(link);
  await press(phone, 'Sign in on this device');
  await shows(phone, 'Up to date');
});
