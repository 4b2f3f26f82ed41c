import { expect, test } from 'vitest';
import { ANNAS_NUMBER, aPhoneHome } from '../rpc/responder/responder-carrier-rig.ts';
import { aTriggeredHome } from '../rpc/responder/responder-rig.ts';
import { consoleOf } from '../support/console.ts';
import type { Owner } from '../support/owner.ts';
import { startSmtp } from '../support/smtp.ts';
import type { World } from '../support/world.ts';

/* What shows that somebody can be reached over an address, and what does not (DECISIONS.md "Proof of reach"). */

/** The channels of Anna that are proven, and whether it was in the newest incident. */
async function proofs(world: World, owner: Owner, name = 'Anna') {
  const { contacts } = consoleOf(world, world.operator, owner.accountId);
  const { contacts: all } = await contacts.listContacts({});
  const [newest] = await owner.incidents();
  const proven = all.find(one => one.name === name)!.channels.filter(({ provenAt }) => provenAt !== undefined);
  return proven.map(({ channel, provenIn }) => `${channel} ${provenIn === newest?.id ? 'in the newest' : 'before'}`);
}

test('whoever presses a button of the page proves the address that the link went to, and no other', async () => {
  const { world, owner, responder, tokens } = await aTriggeredHome();
  const [token] = await tokens();
  await responder.getPage({ token: token! });
  expect(await proofs(world, owner)).toEqual([]);
  await responder.acknowledgeByLink({ token: token! });
  expect(await proofs(world, owner)).toEqual(['email in the newest']);
  expect(await proofs(world, owner, 'Ben')).toEqual([]);
});

test('a second person who answers is proven too, though the first was faster; closing it counts like “I have it”', async () => {
  const { world, owner, responder, tokens } = await aTriggeredHome();
  await world.advance(300);
  const [annas, bens] = await tokens();
  await responder.acknowledgeByLink({ token: annas! });
  expect((await responder.acknowledgeByLink({ token: bens! })).outcome).toBe('already_acknowledged');
  expect(await proofs(world, owner, 'Ben')).toEqual(['email in the newest']);
  await world.rows('UPDATE contact_channel SET proven_at = NULL, proven_in = NULL');
  await responder.closeByLink({ token: bens! });
  expect(await proofs(world, owner, 'Ben')).toEqual(['email in the newest']);
});

test('a key proves the number that was called, a reply the number it came from', async () => {
  const { world, owner, twilio, act, code, inbound } = await aPhoneHome(['call', 'text']);
  await act('trigger');
  const { sid } = await twilio.nextCall();
  await twilio.answerCall(sid);
  await twilio.press(sid, '2');
  expect(await proofs(world, owner)).toEqual([]);
  await twilio.press(sid, '1');
  expect(await proofs(world, owner)).toEqual(['call in the newest']);
  await twilio.replyTo('+436601111111', await code(), inbound);
  expect(await proofs(world, owner)).toEqual(['call in the newest']);
  await twilio.replyTo(ANNAS_NUMBER, await code(), inbound);
  expect((await proofs(world, owner)).sort()).toEqual(['call in the newest', 'text in the newest']);
});

test('arriving, a drill by hand, a code and an acknowledgement in the console prove nothing', async () => {
  const smtp = await startSmtp();
  const { world, owner } = await aTriggeredHome({ smtpUrl: smtp.url });
  const { incidents, contacts, drills } = consoleOf(world, world.operator, owner.accountId);
  const [anna] = (await contacts.listContacts({})).contacts;
  await drills.drill({ contactId: anna!.id, channel: 'email' });
  await incidents.acknowledge({ incidentId: (await owner.incidents())[0]!.id, by: 'Anna' });
  expect(await proofs(world, owner)).toEqual([]);
  await smtp.stop();
});

test('a proof ends with the address that it proved, and an answer over the old one does not prove the new one', async () => {
  const { world, owner, act, responder, tokens } = await aTriggeredHome();
  const { contacts } = consoleOf(world, world.operator, owner.accountId);
  const change = async (address: string) => {
    const [anna] = (await contacts.listContacts({})).contacts;
    await contacts.updateContact({ contact: { ...anna!, channels: [{ ...anna!.channels[0]!, address }] } });
  };
  const [old] = await tokens();
  await responder.acknowledgeByLink({ token: old! });
  await change('anna@example.com');
  expect(await proofs(world, owner)).toEqual(['email in the newest']);
  await change('anna@elsewhere.example');
  expect(await proofs(world, owner)).toEqual([]);
  await responder.acknowledgeByLink({ token: old! });
  expect(await proofs(world, owner)).toEqual([]);
  await world.rows('UPDATE contact_channel SET verified_at = tocsin_now()');
  await act('clear');
  await world.advance(1);
  await act('trigger');
  await responder.acknowledgeByLink({ token: (await tokens())[0]! });
  expect(await proofs(world, owner)).toEqual(['email in the newest']);
});

test('readiness says what a proof is worth: never, fresh up to 45 days, noted up to 90, then warned of', async () => {
  const smtp = await startSmtp();
  const { world, owner, responder, tokens } = await aTriggeredHome({ smtpUrl: smtp.url });
  const { readiness } = consoleOf(world, world.operator, owner.accountId);
  const said = async () => {
    const { sources } = await readiness.getReadiness({});
    const found = sources.flatMap(({ findings }) => findings.filter(({ code }) => /prove|proof/.test(code)));
    return found.map(({ severity, code, problem }) => `${severity} ${code}: ${problem}`);
  };
  expect(await said()).toEqual([expect.stringMatching(/^warns never_proven: .*Anna first/)]);
  await responder.acknowledgeByLink({ token: (await tokens())[0]! });
  expect(await said()).toEqual([]);
  await world.advance(46 * 24 * 3600);
  expect(await said()).toEqual([expect.stringMatching(/^notes proof_ages: .*Anna, .* 45 days/)]);
  await world.advance(45 * 24 * 3600);
  expect(await said()).toEqual([expect.stringMatching(/^warns proof_stale: .*Anna, .* 90 days/)]);
  await smtp.stop();
});
