import { create, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { GetSessionResponseSchema } from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { responderOf, tokenOf } from '../../rpc/responder/responder-rig.ts';
import { needsChromium, openPage } from '../../support/chromium.ts';
import { codeIn } from '../../support/verified.ts';
import { DESK, furnish, press, shows, startConsoleWithMail, type } from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

/** Sessions end with the last account that they open: only an answer that was under way can be without any. */
const NO_ACCOUNT = toBinary(GetSessionResponseSchema, create(GetSessionResponseSchema, { kind: 'member' }));
const WITHOUT_ACCOUNT = `(() => {
  const ask = window.fetch;
  const answer = () => new Response(new Uint8Array([${NO_ACCOUNT}]), { headers: { 'content-type': 'application/proto' } });
  window.fetch = async (to, how) => String(to.url ?? to).endsWith('/GetSession') ? answer() : ask(to, how);
})()`;

test('every step of the first ten minutes can be read and used by everybody', async () => {
  const { world, owner, smtp, url, openAs } = await startConsoleWithMail();
  await world.rows('DELETE FROM location');
  const page = await openAs('owner', 'Otto');
  const faults: string[] = [];
  const see = async (wanted: string, name: string) => {
    await shows(page, wanted);
    faults.push(...(await faultsOf(page, `start-${name}`)));
  };
  await page.open(`${url}/start`);
  await press(page, 'Add the place');
  await see('Add this person', 'person');
  await type(page, 'input[name=person]', 'Anna');
  await type(page, 'input[name=email]', 'anna@example.com');
  await press(page, 'Add this person');
  await see('Send the code', 'verify');
  await press(page, 'Send the code');
  await see('Verify the code', 'code');
  const { subject = '' } = await smtp.next(({ envelope }) => envelope.to.includes('anna@example.com'));
  await type(page, 'input[name=code]', codeIn(subject));
  await press(page, 'Verify the code');
  await see('Start with that', 'policy');
  await press(page, 'Start with that');
  await see('Add the alarm', 'alarm');
  await press(page, 'Add the alarm');
  await see('Create a key', 'key');
  await press(page, 'Create a key');
  await see('Waiting for the first call.', 'waiting');
  const [alarm] = await world.rows('SELECT id FROM source');
  await world.get(`/v1/alarm/${alarm!.id}/arm/night`, await owner.key());
  await world.settle();
  await see('It arrived:', 'arrived');
  await press(page, 'I have it');
  await see('Go live', 'live');
  await press(page, 'Go live');
  await shows(page, 'From then on');
  await press(page, 'Go live');
  await see('Ask for an answer', 'answer');
  await press(page, 'Ask for an answer');
  await see('A drill is on its way.', 'drill');
  await world.settle();
  const [delivery] = await world.rows<{ id: string }>("SELECT id FROM delivery WHERE status <> 'suppressed'");
  await responderOf(world).acknowledgeByLink({ token: tokenOf(delivery!) });
  await see('It is live.', 'done');
  expect(faults).toEqual([]);
}, 300_000);

test('the sign-in can be read and used by everybody in each of its states, and so can what a viewer sees', async () => {
  const started = await startConsoleWithMail();
  const { url, openAs } = started;
  await furnish(started);
  const faults: string[] = [];
  const stranger = await openPage(`${url}/sign-in#tcl_${'x'.repeat(40)}`, DESK);
  await shows(stranger, 'A link brought you here.');
  faults.push(...(await faultsOf(stranger, 'sign-in-link')));
  await press(stranger, 'Sign in on this device');
  await shows(stranger, 'That did not work. Check it');
  await stranger.evaluate(`document.querySelector('details').open = true`);
  faults.push(...(await faultsOf(stranger, 'sign-in-wrong')));
  await type(stranger, 'input[name=email]', 'nobody@example.org');
  await press(stranger, 'Email me a code');
  await shows(stranger, 'If nobody@example.org is a member here');
  faults.push(...(await faultsOf(stranger, 'sign-in-code')));

  const page = await openAs('viewer', 'Vera');
  await page.evaluate(`document.querySelector('.bar details').open = true`);
  faults.push(...(await faultsOf(page, 'more')));
  for (const [part, wanted] of [
    ['', "Owner's email"],
    ['/plan', 'Your plan'],
    ['/members', 'Vera'],
    ['/access', 'This device'],
    ['/doctor', 'This deployment'],
  ] as const) {
    await go(page, `${url}/settings${part}`, wanted);
    faults.push(...(await faultsOf(page, `viewer-settings${part.replace('/', '-')}`)));
  }
  await page.ask('Page.addScriptToEvaluateOnNewDocument', { source: WITHOUT_ACCOUNT });
  await page.open(url);
  await shows(page, 'There is no account for you.');
  faults.push(...(await faultsOf(page, 'no-account')));
  expect(faults).toEqual([]);
}, 300_000);
