import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANGUAGES } from '../../services/words/languages.ts';
import type { Words } from '../../services/words/types.ts';
import { type Console, consoleOf, refusal } from '../support/console.ts';
import { madeUp } from '../support/made-up-language.ts';
import { tokenOf } from './incident/incident-rig.ts';
import { all, anOwner } from './readiness/readiness-rig.ts';

/** A language of which every sentence shows where it begins and ends. */
const languages = LANGUAGES as Words[];
beforeAll(() => void languages.push(madeUp));
afterAll(() => void languages.pop());

const SAID = /^zz .+ qq$/s;

/** An owner, and the same as a reader of the made-up language. */
async function aReader() {
  const made = await anOwner();
  const token = await tokenOf(made.world, made.owner, 'Phone');
  const as = (language: string) => consoleOf(made.world, token, undefined, language);
  return { ...made, as, reader: as('eo, en;q=0.5') };
}

/** What is refused, and by what: each takes an alarm that is bound to a policy. */
const REFUSED: Record<
  string,
  (by: Console, on: { alarmId: string; policyId: string; anna: string }) => Promise<unknown>
> = {
  'a wrong name': by => by.locations.createLocation({ location: { name: '' } }),
  'a wrong number': (by, { policyId }) =>
    by.policies.updatePolicy({ policy: { id: policyId, version: 1, repeat: 9 }, updateMask: { paths: ['repeat'] } }),
  'a wrong list': by => by.policies.createPolicy({ policy: { name: 'None', steps: [] } }),
  'a wrong address': by =>
    by.contacts.createContact({ contact: { name: 'Mia', channels: [{ channel: 'text', address: '12' }] } }),
  'a wrong zone': by => by.contacts.createContact({ contact: { name: 'Mia', timeZone: 'Moon' } }),
  'a channel twice': by =>
    by.contacts.createContact({
      contact: {
        name: 'Mia',
        channels: ['a@example.com', 'b@example.com'].map(address => ({ channel: 'email', address })),
      },
    }),
  'a field that there is not': by => by.alarms.updateAlarm({ alarm: { id: 'x' }, updateMask: { paths: ['nothing'] } }),
  'a place that there is not': by => by.alarms.createAlarm({ alarm: { name: 'Shed', locationId: 'nowhere' } }),
  'a thing that there is not': by => by.policies.getPolicy({ policyId: 'nothing' }),
  'an incident that there is not': by => by.incidents.getIncident({ incidentId: 'x' }),
  'an id that is none': by => by.incidents.listIncidents({ sourceId: 'x' }),
  'a page that is none': by => by.contacts.listContacts({ pageToken: 'x' }),
  'what is in use': (by, { policyId }) => by.policies.deletePolicy({ policyId }),
  'what somebody changed meanwhile': (by, { anna }) => by.contacts.updateContact({ contact: { id: anna, version: 9 } }),
  'a key that is taken': by =>
    by.contacts
      .createContact({ contact: { key: 'mia', name: 'Mia' } })
      .then(() => by.contacts.createContact({ contact: { key: 'mia', name: 'Mia' } })),
  'modes that would alert nobody': (by, { alarmId }) =>
    by.alarms.updateAlarm({
      alarm: { id: alarmId, version: 1, modes: [{ id: 'away' }] },
      updateMask: { paths: ['modes'] },
    }),
  'a rehearsal of what is live': (by, { alarmId }) => by.drills.rehearse({ sourceId: alarmId }),
  'a drill where there is no channel': (by, { anna }) => by.drills.drill({ contactId: anna, channel: 'push' }),
  'a code that is none': (by, { anna }) => by.contacts.verifyChannel({ contactId: anna, channel: 'email', code: 'x' }),
  'what the operator does': by => by.accounts.createToken({ label: 'x' }),
  'a member by no address': by => by.members.inviteMember({ email: 'x', role: 'viewer' }),
  'a month that is none': by => by.incidents.getMonthlyTotals({ lastMonth: 'May' }),
  'a call that is not known': by => by.incidents.findCall({ traceId: 'x' }),
  'U+0000': by => by.incidents.findCall({ traceId: '0'.repeat(32) }),
};

test.for(Object.entries(REFUSED))('what is refused is refused in the language that they read: %s', async ([, act]) => {
  const { owner, policyId, anna, reader } = await aReader();
  const alarmId = await owner.alarm({ modes: all(policyId) });
  const { message, fields } = await refusal(act(reader, { alarmId, policyId, anna }));
  const sentences = Object.keys(fields).length > 0 ? Object.values(fields) : [message];
  for (const sentence of sentences) expect(sentence).toMatch(SAID);
});

test('what an owner is told is in the language that they read', async () => {
  const { world, owner, policyId, ben, reader } = await aReader();
  const house = await owner.alarm({ name: 'House', test: true, modes: all(policyId, 30) });
  const shed = await owner.alarm({ name: 'Shed' });
  await world.get(`/v1/alarm/${shed}/trigger`, await owner.key());
  await world.settle();

  const { sources } = await reader.readiness.getReadiness({});
  const found = sources.flatMap(({ findings }) => findings);
  expect(found.length).toBeGreaterThan(3);
  for (const { problem, fix } of found) for (const sentence of [problem, fix]) expect(sentence).toMatch(SAID);

  const { lines, call, incident } = await reader.drills.rehearse({ sourceId: house });
  expect(lines.length).toBeGreaterThan(3);
  for (const { text } of lines) expect(text).toMatch(SAID);
  expect(call!.call!.explanation).toMatch(SAID);
  const deliveries = incident!.timeline.flatMap(({ entry }) => (entry.case === 'delivery' ? [entry.value] : []));
  expect(deliveries.length).toBeGreaterThan(0);
  for (const { explanation } of deliveries) expect(explanation).toMatch(SAID);

  const { calls } = await reader.incidents.listCalls({});
  for (const { explanation } of calls) expect(explanation).toMatch(SAID);
  const { notices } = await reader.accounts.listNotices({});
  expect(notices.length).toBeGreaterThan(0);
  for (const { explanation } of notices) expect(explanation).toMatch(SAID);
  expect((await reader.drills.drill({ contactId: ben, channel: 'text' })).fix).toMatch(SAID);

  const file = 'version: 1\nalarms:\n  - { name: 7, nothing: 1 }\n  - [1]\nlocations: here\n';
  const { problems } = await reader.configuration.check({ text: file });
  expect(problems.length).toBeGreaterThan(3);
  for (const { problem } of problems) expect(problem).toMatch(SAID);
  for await (const { event } of reader.configuration.apply({ text: file })) {
    if (event.case !== 'result') continue;
    expect(event.value.problems).toHaveLength(problems.length);
    for (const { problem } of event.value.problems) expect(problem).toMatch(SAID);
  }
});

test('at the same time each is answered in their own language', async () => {
  const { as } = await aReader();
  const asked = ['de', 'eo', 'en', 'de-AT', 'fr'].flatMap(language => Array<string>(2).fill(language));
  const said = await Promise.all(
    asked.map(async language => {
      const { message } = await refusal(as(language).policies.getPolicy({ policyId: 'nothing' }));
      return `${language} ${message}`;
    }),
  );
  expect([...new Set(said)].sort()).toEqual([
    'de Diesen Alarmplan gibt es nicht.',
    'de-AT Diesen Alarmplan gibt es nicht.',
    'en There is no such policy in this account.',
    'eo zz There is no such policy in this account. qq',
    'fr There is no such policy in this account.',
  ]);
});

test.each([
  '',
  'fr',
  '*',
  'de_AT',
  ';;',
  'x'.repeat(500),
])('a language without words, and none, is English: %j', async language => {
  const { as } = await aReader();
  const { message } = await refusal(as(language).policies.getPolicy({ policyId: 'nothing' }));
  expect(message).toBe('There is no such policy in this account.');
});

test('a large file, which a thread of its own reads, is judged in that language too', async () => {
  const { as } = await aReader();
  const text = `version: 1\nlocations: here\n${'#\n'.repeat(20_000)}`;
  const { problems } = await as('de').configuration.check({ text });
  expect(problems.map(({ problem }) => problem)).toEqual(['erwartet eine Liste, angegeben ist ein einzelner Wert.']);
});
