import { Code } from '@connectrpc/connect';
import { expect, onTestFinished, test } from 'vitest';
import type { WatchPageResponse } from '../../../gen/tocsin/incident/v1/responder_pb.ts';
import { startSmtp } from '../../support/smtp.ts';
import { eventually } from '../../support/wait.ts';
import { fault } from '../incident/incident-rig.ts';
import { aHome, aTriggeredHome, changed, tokenOf } from './responder-rig.ts';

/* The page of an incident over RPC (DECISIONS.md "Acknowledge"): whom it opens for, what it shows, what its buttons do. */

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('a page tells what, where, when, who was told and how it stands, and no address of anybody', async () => {
  const { world, responder, tokens, act } = await aTriggeredHome();
  const [annas = '', bens = ''] = await tokens();
  const { page } = await responder.getPage({ token: annas });
  expect(page).toMatchObject({
    language: 'en',
    title: 'ALARM: House - Away (A key)',
    environment: 'live',
    environmentLabel: 'LIVE',
    state: 'open',
    status: 'Nobody has been reached yet: no message could be delivered.',
    mapUrl: 'https://www.openstreetmap.org/search?query=1%20Elm%20Street',
    acknowledgeLabel: 'Acknowledge',
    closeLabel: 'Close the alarm',
    closeQuestion: 'This ends the alarm for everyone. Nobody else will be alerted.',
    closeConfirmLabel: 'Yes, close the alarm',
    you: 'This page is for Anna.',
  });
  expect(page!.facts.map(({ label, value }) => `${label}: ${plain(value)}`)).toEqual([
    'What: The alarm "House" was triggered (mode: Away).',
    'Tripped by: A key',
    'Where: Home, 1 Elm Street',
    'When: 8:00 PM, Thursday, January 15 (UTC)',
    'Live or test: LIVE: this is a real alert.',
  ]);
  expect(page!.told.map(plain)).toEqual([
    'Anna, email: not sent: no carrier is set up for this',
    'Ben, email: due at 8:05 PM',
  ]);
  expect(JSON.stringify(page)).not.toContain('example.com');
  expect((await responder.getPage({ token: annas })).page!.print).toBe(page!.print);
  const forBen = (await responder.getPage({ token: bens })).page!;
  expect(forBen).toMatchObject({ title: page!.title, you: 'This page is for Ben.' });

  await act('trigger');
  await world.advance(300);
  const later = (await responder.getPage({ token: annas })).page!;
  expect(later.print).not.toBe(page!.print);
  expect(later.facts.map(({ label, value }) => `${label}: ${plain(value)}`)).toContain(
    'Triggered: 2 times, last at 8:00 PM',
  );
});

test('a token opens one incident of one account; every other one gets one and the same answer', async () => {
  const { world, responder, tokens } = await aTriggeredHome();
  const outsider = await aHome(world);
  await outsider.act('trigger');
  const [theirs] = await outsider.owner.incidents();
  const [token = ''] = await tokens();
  const ours = (await responder.getPage({ token })).page!;
  const foreign = tokenOf(theirs!.deliveries[0]!);
  await responder.acknowledgeByLink({ token: foreign });
  expect((await responder.getPage({ token })).page).toEqual(ours);

  const mixed = token.slice(0, 32) + foreign.slice(32);
  const wrong = [changed(token, 0), changed(token, 31), changed(token, 32), changed(token, 47), mixed];
  const odd = [
    '',
    token.slice(0, 47),
    `${token}a`,
    token.toUpperCase(),
    `${token.slice(0, 32)}${'='.repeat(16)}`,
    '../',
  ];
  const neverMade = tokenOf({ id: 'z'.repeat(32) });
  const said = new Set<string>();
  for (const bad of [...wrong, ...odd, neverMade]) {
    for (const call of [responder.getPage, responder.acknowledgeByLink, responder.closeByLink]) {
      const { code, rawMessage } = await fault(call({ token: bad }));
      said.add(`${code} ${rawMessage}`);
    }
    const watching = responder.watchPage({ token: bad })[Symbol.asyncIterator]().next();
    const { code, rawMessage } = await fault(watching);
    said.add(`${code} ${rawMessage}`);
  }
  expect([...said]).toEqual([`${Code.NotFound} There is no such page: the link is not whole, or its alarm is over.`]);
  expect((await responder.getPage({ token })).page).toEqual(ours);
});

test('acknowledging by link stops the escalation for all and names who did; doing it twice is no error', async () => {
  const { world, owner, responder, tokens } = await aTriggeredHome();
  const [annas = '', bens = ''] = await tokens();
  const both = await Promise.all([annas, bens, annas].map(token => responder.acknowledgeByLink({ token })));
  expect(both.map(({ outcome }) => outcome).sort()).toEqual([
    'acknowledged',
    'already_acknowledged',
    'already_acknowledged',
  ]);
  const [incident] = await owner.incidents();
  const by = incident!.acknowledgedBy;
  expect(['Anna', 'Ben']).toContain(by);
  const [takers, others] = by === 'Anna' ? [annas, bens] : [bens, annas];
  expect(plain((await responder.getPage({ token: takers })).page!.status)).toBe('Acknowledged by you at 8:00 PM.');
  const { page } = await responder.getPage({ token: others });
  expect(plain(page!.status)).toBe(`Acknowledged by ${by} at 8:00 PM.`);
  expect(page).toMatchObject({ state: 'acknowledged', acknowledgeLabel: '', closeLabel: 'Close the alarm' });
  expect(page!.facts.map(({ value }) => plain(value))).toContain(`${by}, 8:00 PM, using the link`);

  const [{ acknowledgements }] = (await world.rows<{ acknowledgements: number }>(
    `SELECT count(*)::int AS acknowledgements FROM incident_entry WHERE kind = 'acknowledged'`,
  )) as [{ acknowledgements: number }];
  expect(acknowledgements).toBe(1);
  await world.advance(3600);
  expect((await owner.incidents())[0]!.deliveries.find(({ contactName }) => contactName === 'Ben')?.status).toBe(
    'cancelled',
  );
});

test('whoever called it off in time is named as who closed it', async () => {
  const { world, responder, tokens } = await aTriggeredHome();
  const [annas = ''] = await tokens();
  await responder.closeByLink({ token: annas });
  // As the log has it of a call off that was in time and only applied once the incident had opened.
  await world.rows("UPDATE logged_call SET verb = 'call_off' WHERE verb = 'close'");
  expect(plain((await responder.getPage({ token: annas })).page!.status)).toBe('Closed by Anna at 8:00 PM.');
});

test('closing by link closes the incident; what comes later changes nothing and is no error', async () => {
  const { owner, responder, tokens } = await aTriggeredHome();
  const [annas = '', bens = ''] = await tokens();
  const closed = await responder.closeByLink({ token: annas });
  expect(closed).toMatchObject({
    outcome: 'closed',
    page: {
      state: 'closed',
      acknowledgeLabel: '',
      closeLabel: '',
      closeQuestion: '',
      closeConfirmLabel: '',
      toldHeading: 'Who was alerted',
    },
  });
  expect(plain(closed.page!.status)).toBe('Closed by Anna at 8:00 PM.');
  expect(plain((await responder.getPage({ token: bens })).page!.status)).toBe('Closed by Anna at 8:00 PM.');
  expect((await responder.closeByLink({ token: bens })).outcome).toBe('already_closed');
  expect((await responder.acknowledgeByLink({ token: bens })).outcome).toBe('already_closed');
  expect(await owner.incidents()).toMatchObject([{ status: 'closed', closeReason: 'console', acknowledgedBy: '' }]);
});

test('a link works while the incident is open and a day longer', async () => {
  const { world, responder, tokens, act } = await aTriggeredHome();
  const [token = ''] = await tokens();
  await world.advance(23 * 3600);
  expect((await responder.getPage({ token })).page!.state).toBe('open');
  await act('clear');
  await world.advance(24 * 3600 - 1);
  const { page } = await responder.getPage({ token });
  expect(page).toMatchObject({ state: 'closed', acknowledgeLabel: '', closeLabel: '' });
  await world.advance(1);
  for (const call of [responder.getPage, responder.acknowledgeByLink, responder.closeByLink]) {
    expect((await fault(call({ token }))).code).toBe(Code.NotFound);
  }
});

test('what a server said about somebody’s address stays with the owner', async () => {
  const smtp = await startSmtp();
  smtp.failNext(552, { message: '5.2.2 <anna@example.com> is over quota, call +43 660 1234567' });
  const { owner, responder, tokens } = await aTriggeredHome({ smtpUrl: smtp.url });
  onTestFinished(smtp.stop);
  const [token = ''] = await tokens();
  expect((await owner.incidents())[0]!.deliveries[0]).toMatchObject({ status: 'failed' });
  const { page } = await responder.getPage({ token });
  expect(page!.told[0]).toBe('Anna, email: could not be reached (the mailbox is full)');
  expect(JSON.stringify(page)).not.toMatch(/example\.com|1234567|quota/);
});

test('a page says when everybody was told and nobody answered', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const { world, responder, tokens } = await aTriggeredHome({ smtpUrl: smtp.url });
  const [token = ''] = await tokens();
  await world.advance(300);
  await world.advance(5 * 60 - 1);
  expect((await responder.getPage({ token })).page!.status).toBe('Nobody has acknowledged this yet.');
  await world.advance(1);
  const { page } = await responder.getPage({ token });
  expect(page).toMatchObject({
    state: 'open',
    status: 'Everyone who could be reached was alerted, and nobody has acknowledged.',
  });
  expect((await responder.acknowledgeByLink({ token })).outcome).toBe('acknowledged');
});

test('a page that is watched comes again whenever it differs, and only then', async () => {
  const { world, responder, tokens, act } = await aTriggeredHome();
  const [annas = '', bens = ''] = await tokens();
  const leaving = new AbortController();
  const pages: WatchPageResponse[] = [];
  const watching = (async () => {
    for await (const told of responder.watchPage({ token: annas }, { signal: leaving.signal })) pages.push(told);
  })().catch(() => 'left');
  const states = () => pages.map(({ page }) => page!.state);
  await eventually(() => pages.length === 1, { what: 'the first page' });
  await responder.acknowledgeByLink({ token: bens });
  await eventually(() => states().at(-1) === 'acknowledged', { what: 'the page to say that it is acknowledged' });
  await act('clear');
  await eventually(() => states().at(-1) === 'closed', { what: 'the page of what is over' });
  expect(new Set(pages.map(({ page }) => page!.print)).size).toBe(pages.length);
  const outsider = await aHome(world);
  await outsider.act('trigger');
  expect(pages.at(-1)!.page!.state).toBe('closed');
  leaving.abort();
  expect(await watching).toBe('left');
});
