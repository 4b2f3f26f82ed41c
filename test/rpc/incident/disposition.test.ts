import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/console.ts';
import { aTriggeredHome } from '../responder/responder-rig.ts';
import { aHouse } from './incident-rig.ts';

/* What an incident was, as a person says (DECISIONS.md "What it was"): false alarms are counted by it. */

describe('over RPC', () => {
  test('closing may say what it was; who said so stands in the timeline, and the month counts it', async () => {
    const { client, asOwner, fire, act, world } = await aHouse();
    const incidentId = await fire();
    const closed = await client.close({ incidentId, disposition: 'false_alarm' }, asOwner);
    expect(closed).toMatchObject({ outcome: 'closed', incident: { status: 'closed', disposition: 'false_alarm' } });
    const { timeline, incident } = await client.getIncident({ incidentId }, asOwner);
    expect(incident!.disposition).toBe('false_alarm');
    const changes = timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value] : []));
    expect(changes.map(({ kind, detail, by }) => [kind, detail, by].join(' ')).slice(-2)).toEqual([
      'closed console ',
      'disposition false_alarm Anna’s laptop',
    ]);

    await act('trigger');
    await world.settle();
    const { months } = await client.getMonthlyTotals({ months: 1 }, asOwner);
    expect(months[0]).toMatchObject({ incidents: 2, real: 0, falseAlarms: 1, tests: 0 });
  });

  test('it is said of one that a machine closed, again, and by name: the last word counts, and the same word twice is one', async () => {
    const { client, asOwner, fire, act, world } = await aHouse();
    const incidentId = await fire();
    await act('clear');
    await world.settle();
    const say = (disposition: string, by = '') => client.setDisposition({ incidentId, disposition, by }, asOwner);
    expect((await say('real', 'Anna')).incident).toMatchObject({ status: 'closed', disposition: 'real' });
    expect((await say('real', 'Ben')).incident!.disposition).toBe('real');
    expect((await say('test', 'Ben')).incident!.disposition).toBe('test');
    const { timeline } = await client.getIncident({ incidentId }, asOwner);
    const said = timeline.flatMap(({ entry }) =>
      entry.case === 'change' && entry.value.kind === 'disposition' ? [`${entry.value.by}: ${entry.value.detail}`] : [],
    );
    expect(said).toEqual(['Anna: real', 'Ben: test']);
  });

  test('what happens in the incident afterwards leaves it as it is', async () => {
    const { client, asOwner, fire, act, world } = await aHouse();
    const incidentId = await fire();
    await client.setDisposition({ incidentId, disposition: 'real' }, asOwner);
    await act('trigger');
    await world.advance(700);
    await client.acknowledge({ incidentId }, asOwner);
    await act('clear');
    await world.settle();
    const { incident } = await client.getIncident({ incidentId }, asOwner);
    expect(incident).toMatchObject({ status: 'closed', closeReason: 'clear', triggerCount: 2, disposition: 'real' });
  });

  test('another word is refused before anything is closed, and an outsider’s incident is none', async () => {
    const { client, asOwner, asOutsider, fire, owner } = await aHouse();
    const incidentId = await fire();
    const wrong = await refusal(client.close({ incidentId, disposition: 'a cat' }, asOwner));
    expect(wrong).toMatchObject({
      code: 'InvalidArgument',
      fields: { disposition: expect.stringMatching(/real.*false_alarm.*test.*a cat/) },
    });
    expect((await owner.incidents())[0]!.status).toBe('open');
    expect((await refusal(client.setDisposition({ incidentId, disposition: '' }, asOwner))).code).toBe(
      'InvalidArgument',
    );
    const theirs = await refusal(client.setDisposition({ incidentId, disposition: 'real' }, asOutsider));
    expect(theirs.code).toBe('NotFound');
    expect((await client.getIncident({ incidentId }, asOwner)).incident!.disposition).toBe('');
  });
});

test('closing works at any time: what it was is kept with it however much was said before, and afterwards as often as notes are', async () => {
  const { client, asOwner, fire, act, world } = await aHouse();
  const incidentId = await fire();
  const turns = ['real', 'test'];
  const said = Array.from({ length: 70 }, (_, nth) =>
    client.setDisposition({ incidentId, disposition: turns[nth % 2]! }, asOwner).then(
      () => 'said',
      error => refusal(Promise.reject(error)).then(({ code }) => code),
    ),
  );
  expect(new Set(await Promise.all(said))).toEqual(new Set(['said', 'ResourceExhausted']));
  const close = (disposition: string) => client.close({ incidentId, disposition }, asOwner);
  expect(await close('false_alarm')).toMatchObject({ outcome: 'closed', incident: { disposition: 'false_alarm' } });
  expect(await close('real')).toMatchObject({ outcome: 'already_closed', incident: { disposition: 'false_alarm' } });
  await act('clear');
  await world.settle();
});

test('a drill is what it is', async () => {
  const { client, asOwner, world, fire } = await aHouse();
  const incidentId = await fire();
  await world.rows("UPDATE incident SET environment = 'drill' WHERE id = $1", [incidentId]);
  const refused = await refusal(client.setDisposition({ incidentId, disposition: 'real' }, asOwner));
  expect(refused).toMatchObject({ code: 'FailedPrecondition', message: expect.stringContaining('This is a drill') });
});

describe('on the page of the person alerted', () => {
  test('closing a live one offers what it was, in their name', async () => {
    const { responder, tokens, owner, world } = await aTriggeredHome();
    const [token = ''] = await tokens();
    const { page } = await responder.getPage({ token });
    expect(page!.dispositions.map(({ disposition, label }) => `${disposition}: ${label}`)).toEqual([
      'real: Close: it was real',
      'false_alarm: Close: a false alarm',
      'test: Close: only a test',
    ]);
    expect((await responder.closeByLink({ token, disposition: 'false_alarm' })).outcome).toBe('closed');
    const [incident] = await owner.incidents();
    const entries = await world.rows('SELECT detail, by FROM incident_entry WHERE incident_id = $1 AND kind = $2', [
      incident!.id,
      'disposition',
    ]);
    expect(entries).toEqual([{ detail: 'false_alarm', by: 'Anna' }]);
    expect((await responder.getPage({ token })).page!.dispositions).toEqual([]);
  });

  test('a page of before, and a word that is none, close it and say nothing', async () => {
    const { responder, tokens, world } = await aTriggeredHome();
    const [token = ''] = await tokens();
    expect((await responder.closeByLink({ token, disposition: 'nonsense' })).outcome).toBe('closed');
    expect((await responder.closeByLink({ token })).outcome).toBe('already_closed');
    expect(await world.rows('SELECT disposition FROM incident')).toEqual([{ disposition: null }]);
  });
});
