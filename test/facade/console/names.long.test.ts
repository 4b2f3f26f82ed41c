import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { consoleOf, newOwner } from '../../support/console.ts';
import { NASTY } from '../../support/nasty.ts';
import { eventually } from '../../support/wait.ts';
import { furnish, openConsole, PHONE, press, startConsole, tick, type } from './console-rig.ts';
import { sidewaysNow } from './looks-rig.ts';

needsChromium();

const SCRIPT = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';

/** Everything nasty in one text, but for its length: a database takes no zero, and JSON no half of a pair. */
const HOSTILE = `${SCRIPT}${NASTY.filter(([what]) => !what.startsWith('10 KB'))
  .map(([, text]) => text)
  .join('🔥')
  .replaceAll('\0', '')
  .toWellFormed()}`;

/** What holds words of somebody's own, by its table; the columns of texts, then those of JSON. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  account: ['name'],
  api_key: ['label', 'last_used_address', 'last_used_agent'],
  audit: ['name', 'actor'],
  console_session: ['agent', 'address'],
  console_token: ['label'],
  contact: ['name', 'voice'],
  contact_channel: ['disabled_reason'],
  duty: ['name'],
  delivery: ['reason', 'message'],
  incident: ['acknowledged_by'],
  incident_entry: ['detail'],
  location: ['name', 'address'],
  logged_call: ['actor', 'asked_id'],
  member: ['name'],
  mode: ['name'],
  notice_delivery: ['reason'],
  policy: ['name'],
  source: ['name', 'response_text'],
};

/** Writes one text wherever there are words of somebody's own. */
async function writeEverywhere(world: Awaited<ReturnType<typeof startConsole>>['world'], text: string): Promise<void> {
  for (const [table, columns] of Object.entries(WRITTEN)) {
    await world.rows(`UPDATE ${table} SET ${columns.map(column => `${column} = $1`).join(', ')}`, [text]);
  }
  const inJson = JSON.stringify(text);
  await world.rows('UPDATE incident SET copy = replace(copy::text, $1, $2)::jsonb', ['"Marker"', inJson]);
  await world.rows(
    `UPDATE incident SET tripped_labels = (SELECT jsonb_object_agg(key, $1::text) FROM jsonb_object_keys(tripped_labels) key)`,
    [text],
  );
  await world.rows('UPDATE duty SET exceptions = replace(exceptions::text, $1, $2)::jsonb', ['"Marker"', inJson]);
  await world.rows('UPDATE notice SET about = replace(about::text, $1, $2)::jsonb', ['"Marker"', inJson]);
  await world.rows('UPDATE audit SET after = replace(after::text, $1, $2)::jsonb', ['"Marker"', inJson]);
}

/** What is read, and what stands in fields. */
const seenIn = (page: Page) =>
  page.evaluate<string>(`[document.querySelector('main').innerText, ...[...document.querySelectorAll('main :is(input, textarea, option)')]
    .map(one => one.value + ' ' + one.text)].join(' ')`);

test.each([
  { what: 'every nasty one', text: HOSTILE, excerpt: '<img src=x' },
  { what: '10 KB without a space', text: 'x'.repeat(10_240), excerpt: 'x'.repeat(200) },
])('a name is text on every screen, whatever it is: $what', async ({ text: name, excerpt }) => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house, workshop, key } = await furnish(console, 'Marker');
  // An address is sealed in the database: it is written as it comes.
  const person = await owner.contact('Marker', { email: name, webhook: name, push: name });
  const seen = consoleOf(world, world.operator, owner.accountId);
  await seen.members.inviteMember({ email: 'anna@example.com', role: 'owner', name: 'Marker' });
  // Notices say whom they were for.
  await world.rows('UPDATE member SET confirmed_at = tocsin_now()');
  const gone = await newOwner(world, 'Marker');
  await consoleOf(world, world.operator, gone.accountId).accounts.deleteAccount({ accountId: gone.accountId });
  const [button] = (await seen.panicButtons.listPanicButtons({})).panicButtons;
  await seen.panicButtons.updatePanicButton({
    panicButton: { ...button!, responseKind: 'other', responseText: 'Marker' },
  });
  await world.rows("UPDATE mode SET policy_id = NULL WHERE source_id = $1 AND id = 'night'", [house]);
  await world.get(`/v1/alarm/${workshop}/arm/vacation`, key);
  await world.get(`/v1/alarm/${house}/trigger/night`, key);
  await world.settle();
  const [incident] = await owner.incidents();
  await seen.incidents.acknowledge({ incidentId: incident!.id });
  await world.settle();
  const { duty } = await seen.duties.createDuty({
    duty: { name: 'Marker', timeZone: 'Europe/Vienna', otherwise: { contactIds: [person] } },
  });
  const until = timestampFromDate(new Date('2026-01-22T20:00Z'));
  await seen.duties.cover({ dutyId: duty!.id, until, contactIds: [person], note: 'Marker' });
  const page = await openConsole(url, world.operator, { ...PHONE, width: 320 });
  await writeEverywhere(world, name);
  const faults: string[] = [];

  async function isText(screen: string): Promise<void> {
    await eventually(async () => (await seenIn(page)).includes(excerpt), { what: `the name on ${screen}` });
    await eventually(() => page.evaluate(`document.querySelector('.skeleton') === null`), { what: `all of ${screen}` });
    const did = await page.evaluate('[window.hit ?? 0, document.images.length]');
    if (String(did) !== '0,0') faults.push(`${screen}: ${did}`);
    faults.push(...(await sidewaysNow(page, screen)));
  }

  const [policy] = await world.rows('SELECT id FROM policy');
  for (const screen of [
    '',
    'incidents',
    `incidents/${incident!.id}`,
    'calls',
    'alarms',
    'alarms?add=panic_button',
    `alarms?place=${owner.locationId}`,
    `alarms/${house}`,
    `panic-buttons/${button!.id}`,
    'people',
    `people/${person}`,
    'policies',
    `policies/${policy!.id}`,
    'duties',
    `duties/${duty!.id}`,
    `duties/${duty!.id}?view=list`,
    'policies/new?from=all',
    'keys',
    'notices',
    'notices/changes',
    'settings',
    'settings/members',
    'settings/access',
    'operator',
    'operator/deleted',
    'start',
  ]) {
    await page.open(`${url}/${screen}`);
    await isText(screen);
  }
  await page.open(`${url}/settings/file`);
  await type(page, 'textarea[name=file]', `version: 1\n${JSON.stringify(name)}: 1\n`);
  await press(page, 'Check it');
  await eventually(() => page.evaluate(`document.querySelector('main [role=status] li') !== null`), {
    what: 'findings',
  });
  await isText('settings/file');
  await page.open(`${url}/people/${person}`);
  await press(page, 'Edit');
  await isText('people, edited');
  await press(page, 'Cancel');
  await press(page, 'Delete');
  await isText('people, deleted');
  await page.open(`${url}/policies/${policy!.id}`);
  await press(page, 'Edit');
  await isText('policies, edited');
  await page.open(`${url}/duties/${duty!.id}?view=list`);
  await tick(page, '.shift');
  await isText('duties, covered');
  await page.open(`${url}/duties/${duty!.id}`);
  await press(page, 'Edit');
  await isText('duties, edited');
  await page.open(`${url}/alarms/${house}`);
  await press(page, 'Put in test');
  await isText('alarms, put in test');
  await page.open(`${url}/incidents/${incident!.id}`);
  await press(page, 'Close');
  await isText('incidents, closed');
  await page.open(`${url}/operator/deleted`);
  await eventually(
    () =>
      page.evaluate(
        `document.querySelector('.doing button')?.click() === undefined && document.querySelector('dialog') !== null`,
      ),
    { what: 'the question' },
  );
  await isText('operator/deleted, erased');
  expect(faults).toEqual([]);
  // What is typed and not saved lets the browser ask; it refuses to where nobody has touched the page.
  const expected = ['the server responded with', "'beforeunload'"];
  expect(page.complaints.filter(complaint => !expected.some(one => complaint.includes(one)))).toEqual([]);
}, 300_000);
