import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { furnish, openConsole, PHONE, press, shows, startConsoleWithMail, text, type } from './console-rig.ts';

needsChromium();

const recipe = (page: Page) => page.evaluate<string>(`document.querySelector('.recipe textarea')?.value ?? ''`);

test('a recipe has the real id and address; with a key made beside it, it runs as it is, and the key is shown once', async () => {
  const console = await startConsoleWithMail();
  const { world, url } = console;
  const { house } = await furnish(console);
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/alarms/${house}`);
  await shows(page, 'Connect it');
  await shows(page, 'Replace toc_PUT_YOUR_KEY_HERE');
  expect(await recipe(page)).toContain(`${url}/v1/alarm/${house}/trigger`);
  await shows(page, 'Messages and pages say by this name what tripped.');
  expect(await page.evaluate(`document.querySelector('input[name=device]').value`)).toBe('Script');
  await type(page, 'input[name=device]', '');
  await press(page, 'Create a key for it');
  await shows(page, 'Takes 1 to 100 characters');
  await type(page, 'input[name=device]', 'Hall motion');
  await press(page, 'Create a key for it');
  await shows(page, 'shown only once');
  const whole = await recipe(page);
  const [secret = ''] = whole.match(/toc_[A-Za-z0-9]{36}/) ?? [];
  expect(secret).not.toBe('');
  await promisify(execFile)('sh', ['-ec', whole]);
  await world.settle();
  // The page was waiting for it.
  await shows(page, 'Opened an incident');
  expect((await console.owner.incidents())[0]!.trippedBy).toEqual(['Hall motion']);

  await page.evaluate(`(() => {
    const choice = document.querySelector('select[name=recipe]');
    choice.value = 'ha';
    choice.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await eventually(async () => (await recipe(page)).includes(`tocsin_key: ${secret}`), { what: 'the same key' });
  expect(await page.evaluate('location.search')).toBe('?recipe=ha');
  await press(page, 'I have copied it');
  await shows(page, 'Replace toc_PUT_YOUR_KEY_HERE');
  expect(await page.evaluate(`document.querySelector('input[name=device]').value`)).toBe('Home Assistant');
  const left = await page.evaluate<string>(
    'document.documentElement.outerHTML + location.href + JSON.stringify({ ...localStorage, ...sessionStorage })',
  );
  expect(left + (await recipe(page))).not.toContain(secret);

  const editor = await console.openAs('editor', 'Eva');
  await editor.open(`${url}/alarms/${house}`);
  await shows(editor, 'Replace toc_PUT_YOUR_KEY_HERE');
  expect(await text(editor)).not.toContain('Create a key for it');
});
