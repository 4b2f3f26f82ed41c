import { expect, test } from 'vitest';
import { enqueueOwnActions } from '../../services/store/statements/queue.ts';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import { aNight } from './page-rig.ts';

const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };

async function aCalledNight() {
  const night = await aNight();
  const { world, owner, smtp, act, linkTo } = night;
  await act('trigger');
  const annas = await linkTo('anna@example.com');
  const console = consoleOf(world, world.operator, owner.accountId);
  const post = (verb: string, fields: Record<string, string> = {}, link = annas) =>
    fetch(`${link}/${verb}`, { method: 'POST', redirect: 'manual', headers: FORM, body: new URLSearchParams(fields) });
  return {
    ...{ ...night, annas, console, post },
    page: async (link = annas) => (await fetch(link)).text(),
    open: async () => (await owner.incidents())[0]!,
    ben: async () => (await console.contacts.listContacts({})).contacts.find(({ name }) => name === 'Ben')!.id,
    mailsTo: (address: string) => smtp.mails.filter(({ envelope }) => envelope.to.includes(address)).length,
  };
}

const stepOf = (page: string) => /name="step" value="([^"]*)"/.exec(page)?.[1] ?? 'none';

test('next now on the page sends the next step at once; touched twice, and by two people, it is one', async () => {
  const of = await aCalledNight();
  const step = stepOf(await of.page());
  expect(step).toBe('0.1');
  const [one, other] = await Promise.all([of.post('next', { step }), of.post('next', { step })]);
  expect([one.status, other.status]).toEqual([303, 303]);
  const outcomes = [one, other].map(({ headers }) => /said=(\w+)/.exec(headers.get('location')!)?.[1]);
  expect(outcomes.sort()).toEqual(['no_next_step', 'stepped']);
  await of.world.settle();
  expect([of.mailsTo('anna@example.com'), of.mailsTo('ben@example.com')]).toEqual([1, 1]);
  await of.world.advance(300);
  expect(of.mailsTo('ben@example.com')).toBe(1);
  expect(await of.page()).toContain('Anna, 3:12\u00a0AM: alerted the next');
  const { timeline } = await of.open();
  const changes = timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value] : []));
  expect(changes.filter(({ kind }) => kind === 'next_step')).toMatchObject([{ by: 'Anna' }]);
  expect(changes.filter(({ kind }) => kind === 'step_brought_forward')).toEqual([]);
  // The second round keeps its time.
  await of.world.advance(900);
  expect(of.mailsTo('anna@example.com')).toBe(2);
  await of.smtp.stop();
});

test('a GET of what a button does only shows: link previews do nothing', async () => {
  const of = await aCalledNight();
  for (const verb of ['next', 'note', 'hand-over', 'decline']) {
    const answer = await fetch(`${of.annas}/${verb}?step=0.1&text=a&contact=${await of.ben()}`, { redirect: 'manual' });
    expect(answer.status).toBe(303);
  }
  await of.world.settle();
  expect(of.mailsTo('ben@example.com')).toBe(0);
  expect((await of.open()).timeline.filter(({ entry }) => entry.case === 'call')).toHaveLength(1);
  await of.smtp.stop();
});

test('a note stands in the timeline with who and when, whatever is in it, and the others read it', async () => {
  const of = await aCalledNight();
  const nasty = '<script>alert(1)</script>\u202e\r\nThe \u0000cat “x”';
  for (let twice = 0; twice < 2; twice++) expect((await of.post('note', { text: nasty })).status).toBe(303);
  const page = await of.page();
  expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62; The cat “x”');
  expect(page).not.toContain('<script>alert');
  expect(page.match(/The cat/g)).toHaveLength(1);
  const empty = await of.post('note', { text: ' \n ' });
  expect(empty.headers.get('location')).toContain('said=no_text');
  expect(await of.page(`${of.annas}?said=no_text`)).toContain('There was nothing to note.');
  expect(await of.page(`${of.annas}?said=<b>`)).not.toContain('<b>');
  await of.post('note', { text: 'x'.repeat(2_000) });
  const { incident, timeline } = await of.console.incidents.getIncident({ incidentId: (await of.open()).id });
  const notes = timeline.flatMap(({ entry }) =>
    entry.case === 'change' && entry.value.kind === 'noted' ? [entry.value] : [],
  );
  expect(notes.map(({ by, detail }) => [by, detail.length <= 500])).toEqual([
    ['Anna', true],
    ['Anna', true],
  ]);
  for (const text of ['', ' ', 'two\nlines', 'x'.repeat(501)]) {
    expect(await refusal(of.console.incidents.addNote({ incidentId: incident!.id, text }))).toMatchObject({
      code: 'InvalidArgument',
    });
  }
  const byConsole = await of.console.incidents.addNote({
    incidentId: incident!.id,
    text: 'Police are here',
    by: 'Carla',
  });
  expect(byConsole).toMatchObject({ outcome: 'noted' });
  await of.world.settle();
  expect(await of.page()).toContain('Carla, 3:12\u00a0AM: Police are here');
  await of.smtp.stop();
});

test('hand over on the page: the other is told at once, nobody has it until they acknowledge, then they do', async () => {
  const of = await aCalledNight();
  await of.post('acknowledge');
  await of.world.settle();
  const told = of.mailsTo('ben@example.com');
  for (let twice = 0; twice < 2; twice++) {
    const handed = await of.post('hand-over', { contact: await of.ben() });
    expect(handed.headers.get('location')).toContain(twice === 0 ? 'said=handed_over' : 'said=already_handed_over');
  }
  await of.world.settle();
  expect(of.mailsTo('ben@example.com')).toBe(told + 1);
  expect(await of.page()).toContain('Anna, 3:12\u00a0AM: handed over to Ben');
  expect(await of.page()).toContain('Nobody has acknowledged this yet.');
  const bens = await of.linkTo('ben@example.com');
  await of.post('acknowledge', {}, bens);
  await of.world.settle();
  expect(await of.open()).toMatchObject({ acknowledgedBy: 'Ben', status: 'open' });
  expect(await of.page()).toContain('Acknowledged by Ben');
  await of.smtp.stop();
});

test('who is handed an incident and does not respond: the owner hears of it as of any that nobody acknowledged', async () => {
  const of = await aCalledNight();
  await of.post('acknowledge');
  await of.post('hand-over', { contact: await of.ben() });
  await of.world.settle();
  await of.world.advance(301);
  expect(await of.open()).toMatchObject({ outcome: 'exhausted', status: 'open' });
  await of.smtp.stop();
});

test('from the console to any contact of the account; one whom nothing reaches is said at once, and nothing changes', async () => {
  const of = await aCalledNight();
  const incidentId = (await of.open()).id;
  const carla = await of.owner.contact('Carla', { email: 'carla@example.com' });
  const dora = await of.owner.contact('Dora', { text: '+4366012345678' });
  expect(await of.console.incidents.handOver({ incidentId, contactId: dora, by: 'Anna' })).toMatchObject({
    outcome: 'not_reachable',
  });
  expect(await of.console.incidents.handOver({ incidentId, contactId: carla, by: 'Anna' })).toMatchObject({
    outcome: 'handed_over',
    incident: { acknowledgedBy: '' },
  });
  await of.world.settle();
  const carlas = await of.linkTo('carla@example.com');
  expect(await of.page(carlas)).toContain('This page is for Carla.');
  await of.post('acknowledge', {}, carlas);
  await of.world.settle();
  expect(await of.open()).toMatchObject({ acknowledgedBy: 'Carla' });
  await of.smtp.stop();
});

test('foreign and expired links open nothing, and an outsider reaches nobody’s incident', async () => {
  const of = await aCalledNight();
  const incidentId = (await of.open()).id;
  const outsider = await newOwner(of.world, 'An outsider');
  const theirs = outsider.console.incidents;
  const ben = await of.ben();
  const asked = [
    () => theirs.nextStep({ incidentId, round: 0, step: 1 }),
    () => theirs.addNote({ incidentId, text: 'a' }),
    () => theirs.handOver({ incidentId, contactId: ben }),
  ];
  for (const ask of asked) expect(await refusal(ask())).toMatchObject({ code: 'NotFound' });
  // Nor may somebody be told who belongs to another account.
  const { contact } = await outsider.console.contacts.createContact({ contact: { name: 'Eve' } });
  expect(await refusal(of.console.incidents.handOver({ incidentId, contactId: contact!.id }))).toMatchObject({
    code: 'NotFound',
  });
  expect((await of.post('hand-over', { contact: contact!.id })).headers.get('location')).toContain(
    'said=not_reachable',
  );
  const forged = of.annas.replace(/.{4}$/, 'aaaa');
  for (const verb of ['next', 'note', 'hand-over']) {
    expect((await of.post(verb, { step: '0.1', text: 'a', contact: await of.ben() }, forged)).status).toBe(404);
  }
  await of.act('clear');
  const closed = await of.post('next', { step: '0.1' });
  expect(closed.headers.get('location')).toContain('said=already_closed');
  await of.world.advance(25 * 3600);
  for (const verb of ['next', 'note', 'hand-over']) expect((await of.post(verb, { text: 'a' })).status).toBe(404);
  expect(of.mailsTo('ben@example.com')).toBe(0);
  await of.smtp.stop();
});

test('whoever asks all night by one link is told to wait; acknowledging is never limited, and another incident does not notice', async () => {
  const of = await aCalledNight();
  const [{ id: policyId }] = (await of.world.rows<{ id: string }>('SELECT id FROM policy')) as [{ id: string }];
  const beside = await of.owner.alarm({ name: 'Beside', modes: { away: { policyId } } });
  const answers: number[] = [];
  for (let n = 0; n < 64; n++) answers.push((await of.post('note', { text: `Note ${n}` })).status);
  expect(answers.filter(status => status === 303)).toHaveLength(60);
  expect(new Set(answers.slice(60))).toEqual(new Set([503]));
  expect((await of.world.rows("SELECT FROM logged_call WHERE verb = 'note'")).length).toBe(60);
  await of.world.get(`/v1/alarm/${beside}/trigger`, await of.owner.key());
  await of.world.settle();
  const other = (await of.owner.incidents()).find(({ sourceName }) => sourceName === 'Beside')!;
  expect(await of.console.incidents.addNote({ incidentId: other.id, text: 'Here too' })).toMatchObject({
    outcome: 'noted',
  });
  expect((await of.post('acknowledge')).status).toBe(303);
  await of.smtp.stop();
});

test('whoever cannot says so: the next are told at once, once, and nothing is called off', async () => {
  const of = await aCalledNight();
  expect(await of.page()).toContain('>I cannot</button>');
  const [one, other] = await Promise.all([of.post('decline'), of.post('decline')]);
  const said = [one, other].map(({ headers }) => /said=(\w+)/.exec(headers.get('location')!)?.[1]);
  expect(said.sort()).toEqual(['declined', 'declined_next']);
  await of.world.settle();
  expect([of.mailsTo('anna@example.com'), of.mailsTo('ben@example.com')]).toEqual([1, 1]);
  expect(await of.page(`${of.annas}?said=declined_next`)).toContain(
    'The others see it on their page. The next are told now.',
  );
  const bens = await of.linkTo('ben@example.com');
  expect(await of.page(bens)).toContain('Anna, 3:12\u00a0AM: cannot');
  // The second round tells both again at its own time: Anna may have pressed it by mistake.
  const last = await of.post('decline', {}, bens);
  expect(last.headers.get('location')).toContain('said=declined_last');
  expect(await of.page(`${bens}?said=declined_last`)).toContain('Nobody else is left to be told: call somebody.');
  await of.world.advance(300 + 600);
  expect([of.mailsTo('anna@example.com'), of.mailsTo('ben@example.com')]).toEqual([2, 1]);
  await of.post('acknowledge');
  expect(await of.page()).not.toContain('I cannot');
  const late = await of.post('decline', {}, bens);
  expect(late.headers.get('location')).toContain('said=already_acknowledged');
  const { timeline } = await of.open();
  const declined = timeline.flatMap(({ entry }) =>
    entry.case === 'change' && entry.value.kind === 'declined' ? [entry.value.by] : [],
  );
  expect(declined).toEqual(['Anna', 'Ben']);
  await of.smtp.stop();
});

test('where the next cannot be reached either, the one after goes at once: nobody waits for whoever cannot', async () => {
  const of = await aCalledNight();
  const cleo = await of.owner.contact('Cleo', { email: 'cleo@example.com' });
  const { policies } = of.console;
  const { policies: all } = await policies.listPolicies({});
  const { id, version, steps } = all[0]!;
  const last = { delayS: 900, contacts: [{ contactId: cleo, channels: ['email'] }] };
  await policies.updatePolicy({
    policy: { id, version, steps: [...steps, last] },
    updateMask: { paths: ['steps'] },
  });
  await of.act('clear');
  of.smtp.refuse('ben@example.com', 550);
  await of.act('trigger');
  const annas = await of.linkTo('anna@example.com');
  const said = await of.post('decline', {}, annas);
  expect(said.headers.get('location')).toContain('said=declined_next');
  await of.world.settle();
  expect([of.mailsTo('ben@example.com'), of.mailsTo('cleo@example.com')]).toEqual([0, 1]);
  await of.smtp.stop();
});

test('one acknowledges and another hands over at the same moment: whoever takes over is told', async () => {
  const of = await aCalledNight();
  const { id } = await of.open();
  const ben = await of.ben();
  const { accountId } = of.owner;
  const [{ source_id: sourceId }] = (await of.world.rows<{ source_id: string }>('SELECT source_id FROM incident')) as [
    { source_id: string },
  ];
  const own = { accountId, sourceId, incidentId: id, actor: 'Anna' };
  await enqueueOwnActions(of.world.store.pool, [
    { ...own, verb: 'acknowledge', traceId: crypto.randomUUID() },
    { ...own, verb: 'hand_over', detail: ben, traceId: crypto.randomUUID() },
  ]);
  await of.world.settle();
  expect(await of.open()).toMatchObject({ acknowledgedBy: '', status: 'open' });
  expect(of.mailsTo('ben@example.com')).toBe(1);
  await of.smtp.stop();
});

test('a press of any of these buttons proves the address that the message went to', async () => {
  const of = await aCalledNight();
  await of.world.rows('UPDATE contact_channel SET proven_at = NULL');
  await of.post('note', { text: 'On my way' });
  const proven = await of.world.rows(
    'SELECT c.name FROM contact_channel cc JOIN contact c ON c.id = cc.contact_id WHERE cc.proven_at IS NOT NULL',
  );
  expect(proven).toEqual([{ name: 'Anna' }]);
  await of.smtp.stop();
});
