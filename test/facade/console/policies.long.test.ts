import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { choose, furnish, press, shows, signInByCode, startConsoleWithMail, text, type } from './console-rig.ts';

needsChromium();

test('makes a policy of a template, previews it by name, reorders it by keyboard, and says where it runs', async () => {
  const { world, owner, seen, url, openAs } = await startConsoleWithMail();
  const beside = await world.account();
  await owner.contact('Noah', { email: 'noah@example.com' });
  await owner.contact('Edda', { email: 'edda@example.com', text: '+12025550101' });
  const page = await openAs('editor', 'Edda');
  await page.open(`${url}/policies`);
  await shows(page, 'Start with one of these.');
  await page.tap('.templates a');
  await shows(page, 'A new policy');
  const preview = () => page.evaluate<string>(`document.querySelector('.plan').innerText`);
  await eventually(async () => /Edda.*5 min.*Noah/s.test(await preview()), { what: 'oneself first' });
  await page.evaluate(`document.querySelector('#steps-down-0').focus()`);
  await page.key('Enter');
  await eventually(async () => /Noah.*Edda/s.test(await preview()), { what: 'the other first' });
  const focusedOn = (id: string) =>
    eventually(() => page.evaluate(`document.activeElement.id === '${id}'`), { what: `the focus on ${id}` });
  await focusedOn('steps-up-1');
  await page.key('Enter');
  await focusedOn('steps-down-0');
  await choose(page, '.ways > li:first-child .field:not(.span) select', 'Noah');
  await page.evaluate(`document.querySelector('#people-0-up-1').focus()`);
  await page.key('Enter');
  // Letter by letter it stays in the unit in which it is written.
  await choose(page, 'select[aria-label="Wait after the step before: Unit"]', '3600');
  await page.evaluate(`document.querySelector('input[name="steps[1].delayS"]').select()`);
  for (const letter of '1.25') await page.write(letter);
  await eventually(async () => /1 hr 15 min/.test(await preview()), { what: 'an hour and a quarter' });
  await choose(page, 'select[aria-label="Wait after the step before: Unit"]', '60');
  await type(page, 'input[name="steps[1].delayS"]', '10');
  await press(page, 'Add a step');
  await press(page, 'Add the policy');
  await shows(page, 'Takes 1 to 20 contacts');
  await press(page, 'Delete: Step 3');
  await press(page, 'Add the policy');
  await shows(page, 'Not used');
  const [policy] = (await seen.policies.listPolicies({})).policies;
  const people = (await seen.contacts.listContacts({})).contacts;
  const nameOf = (id: string) => people.find(person => person.id === id)!.name;
  expect(policy).toMatchObject({ name: 'Me, then my partner', repeat: 1, repeatDelayS: 300 });
  expect(policy!.steps.map(({ delayS, contacts }) => [delayS, contacts.map(one => nameOf(one.contactId))])).toEqual([
    [0, ['Noah', 'Edda']],
    [600, ['Noah']],
  ]);
  await owner.alarm({ name: 'Barn', modes: { night: { policyId: policy!.id } } });
  await shows(page, 'Barn');
  await press(page, 'Delete');
  await shows(page, 'Delete Me, then my partner?');
  await press(page, 'Delete');
  await shows(page, 'is used by alarm');
  expect((await seen.policies.listPolicies({})).policies).toHaveLength(1);
  expect(await world.rows('SELECT id FROM policy WHERE account_id = $1', [beside.accountId])).toEqual([]);
}, 120_000);

test('two who edit one policy: the second sees what changed, and loses nothing', async () => {
  const started = await startConsoleWithMail();
  const { seen, url, openAs } = started;
  await furnish(started);
  const [policy] = (await seen.policies.listPolicies({})).policies;
  const [one, other] = [await openAs('owner', 'Otto'), await openAs('editor', 'Edda')];
  for (const page of [one, other]) {
    await page.open(`${url}/policies/${policy!.id}`);
    await press(page, 'Edit');
  }
  await choose(other, 'form .two select', 'Begin again, 2 times');
  await press(other, 'Delete: Noah');
  await press(other, 'Delete: Step 2');
  await type(one, 'input[name=name]', 'At night');
  await type(one, 'input[name="steps[1].delayS"]', '7');
  await press(one, 'Save');
  await shows(one, 'Used by');

  await shows(other, 'Somebody else saved changes while you were editing.');
  await shows(other, 'They changed: Name. This form now shows their values.');
  await shows(other, 'You both changed: Steps.');
  expect(await other.evaluate('document.querySelector("input[name=name]").value')).toBe('At night');
  expect(await other.evaluate(`document.querySelectorAll('.ways > li').length`)).toBe(1);
  await press(other, 'What they saved');
  await shows(other, '7 min');
  const read = async () => (await seen.policies.getPolicy({ policyId: policy!.id })).policy!;
  expect(await read()).toMatchObject({ name: 'At night', repeat: 0 });
  await press(other, 'Take theirs');
  await eventually(() => other.evaluate(`document.querySelectorAll('.ways > li').length === 2`), {
    what: 'their steps',
  });
  await press(other, 'Save');
  await eventually(async () => (await read()).repeat === 2, { what: 'both edits to be stored' });
  expect((await read()).steps.map(({ delayS }) => delayS)).toEqual([0, 420]);
}, 120_000);

test('keeps what was typed while another screen is looked at, and when the session ends', async () => {
  const started = await startConsoleWithMail();
  const { world, smtp, seen, url, openAs } = started;
  await furnish(started);
  const [policy] = (await seen.policies.listPolicies({})).policies;
  const page = await openAs('owner', 'Otto');
  await page.open(`${url}/policies/${policy!.id}`);
  await press(page, 'Edit');
  await type(page, 'input[name=name]', 'Half done');
  await press(page, '← All policies');
  await shows(page, 'Who is alerted, in which order');
  await press(page, 'A policy');
  await shows(page, 'Edit A policy');
  expect(await page.evaluate('document.querySelector("input[name=name]").value')).toBe('Half done');
  await world.rows('DELETE FROM console_session');
  await shows(page, 'You are signed out. Sign in to open the screen you wanted.');
  await world.advance(61);
  await signInByCode(page, smtp, 'otto@example.com');
  await shows(page, 'Edit A policy');
  expect(await page.evaluate('document.querySelector("input[name=name]").value')).toBe('Half done');
  await press(page, 'Cancel');
  await shows(page, 'Used by');
  expect(await text(page)).not.toContain('Half done');
});

test('shows a viewer no button that would be refused', async () => {
  const started = await startConsoleWithMail();
  const { seen, url, openAs, world } = started;
  await furnish(started);
  const [policy] = (await seen.policies.listPolicies({})).policies;
  const page = await openAs('viewer', 'Vera');
  const outsider = await world.account();
  const theirs = await outsider.policy([]);
  for (const [path, wanted] of [
    ['/policies', 'At once Anna'],
    [`/policies/${policy!.id}`, 'Who is alerted, and when'],
    ['/policies/new', 'There is no such policy.'],
    [`/policies/${theirs}`, 'There is no such policy.'],
  ]) {
    await page.open(url + path);
    await shows(page, wanted!);
    expect(await page.evaluate(`document.querySelectorAll('main button').length`), path).toBe(0);
  }
  const refused = await page.evaluate<string>(`fetch('../rpc/tocsin.console.v1.PolicyService/DeletePolicy', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
    body: JSON.stringify({ policyId: ${JSON.stringify(policy!.id)} }),
  }).then(response => response.json()).then(({ code }) => code)`);
  expect(refused).toBe('permission_denied');
});
