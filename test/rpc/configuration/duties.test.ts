import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { type Console, newOwner, refusal } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';

const at = (iso: string) => timestampFromMs(Date.parse(iso));

async function aHouse() {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  for (const name of ['Anna', 'Noah', 'Mia']) await own.contacts.createContact({ contact: { name } });
  return { world, own };
}

const TURNS = { turns: { contactIds: ['noah', 'mia'], change: 'weekly', at: 'sat 08:00', since: '2026-11-28' } };
const SHOP = {
  name: 'Shop phone',
  timeZone: 'Europe/Vienna',
  hours: [
    { days: 'mon-fri', from: '08:00', to: '18:00', who: { contactIds: ['anna'] }, channels: ['call'] },
    { days: 'sat-sun', who: TURNS },
  ],
  otherwise: { contactIds: ['anna'] },
};

/** The key and name of everybody who is on duty at an instant. */
async function onDuty(own: Console, iso: string) {
  const { contacts, ...rest } = await own.duties.onDuty({ dutyId: 'shop-phone', at: at(iso) });
  return { ...rest, contacts: contacts.map(({ key, name }) => `${key} ${name}`) };
}

test('a duty is created, read, changed and deleted, and its contacts may be named by key', async () => {
  const { own } = await aHouse();
  const { duty } = await own.duties.createDuty({ duty: SHOP });
  expect(duty).toMatchObject({ key: 'shop-phone', version: 1, tell: true, feed: 'none' });
  const anna = (await own.contacts.getContact({ contactId: 'anna' })).contact!.id;
  expect(duty!.otherwise!.contactIds).toEqual([anna]);
  expect((await own.duties.getDuty({ dutyId: 'shop-phone' })).duty).toEqual(duty);
  expect((await own.duties.listDuties({})).duties).toEqual([duty]);
  const changed = await own.duties.updateDuty({
    duty: { id: duty!.id, version: 1, tell: false },
    updateMask: { paths: ['tell'] },
  });
  expect(changed.duty).toMatchObject({ version: 2, tell: false, hours: duty!.hours });
  const stale = own.duties.updateDuty({
    duty: { id: duty!.id, version: 1, name: 'X' },
    updateMask: { paths: ['name'] },
  });
  expect(await refusal(stale)).toMatchObject({ code: 'Aborted' });
  await own.duties.deleteDuty({ dutyId: 'shop-phone' });
  expect(await refusal(own.duties.getDuty({ dutyId: 'shop-phone' }))).toMatchObject({ code: 'NotFound' });
  const { changes } = await own.audit.listChanges({});
  expect(changes.filter(({ kind }) => kind === 'duty').map(({ action }) => action)).toEqual([
    'delete',
    'update',
    'create',
  ]);
});

test('OnDuty says who, over what, until when and why', async () => {
  const { own } = await aHouse();
  await own.duties.createDuty({ duty: SHOP });
  const day = await onDuty(own, '2026-12-01T12:00+01:00');
  expect(day).toMatchObject({ contacts: ['anna Anna'], channels: ['call'], because: 'hours', entry: 0 });
  expect(timestampDate(day.until!).toISOString()).toBe('2026-12-01T17:00:00.000Z');
  const weekend = await onDuty(own, '2026-12-05T12:00+01:00');
  expect(weekend).toMatchObject({ contacts: ['mia Mia'], channels: [], because: 'turns', entry: 1 });
  expect(await onDuty(own, '2026-12-01T20:00+01:00')).toMatchObject({ because: 'otherwise', contacts: ['anna Anna'] });
  const { shifts } = await own.duties.listShifts({ dutyId: 'shop-phone', from: at('2026-12-05T12:00+01:00'), days: 2 });
  expect(shifts.map(({ from, contacts }) => [timestampDate(from!).toISOString(), contacts[0]!.name])).toEqual([
    ['2026-12-05T07:00:00.000Z', 'Mia'],
    ['2026-12-06T23:00:00.000Z', 'Anna'],
    ['2026-12-07T07:00:00.000Z', 'Anna'],
  ]);
});

test('now, where no instant is named', async () => {
  const { own } = await aHouse();
  await own.duties.createDuty({ duty: { ...SHOP, hours: [] } });
  expect(await own.duties.onDuty({ dutyId: 'shop-phone' })).toMatchObject({ contacts: [{ name: 'Anna' }] });
});

const REFUSED: [object, string, RegExp][] = [
  [{ otherwise: undefined }, 'otherwise', /^takes people, such as \[anna\].*got nothing/],
  [{ otherwise: { contactIds: [] } }, 'otherwise', /^takes 1 to 20 contacts, got 0/],
  [
    { hours: [{ who: { turns: { ...TURNS.turns, contactIds: [] } } }] },
    'hours[0].who.turns.contactIds',
    /^takes 1 to 50 turns/,
  ],
  [{ hours: [{ days: 'mo-fr', who: TURNS }] }, 'hours[0].days', /^takes days such as "mon-fri"/],
  [{ hours: [{ from: '8:00', who: TURNS }] }, 'hours[0].from', /^takes a time such as "08:00", got "8:00"/],
  [{ hours: [{ to: '25:00', who: TURNS }] }, 'hours[0].to', /^takes a time such as "18:00", up to "24:00"/],
  [
    { hours: [{ who: { turns: { ...TURNS.turns, at: '08:00' } } }] },
    'hours[0].who.turns.at',
    /^takes a day and a time/,
  ],
  [
    { hours: [{ who: { turns: { ...TURNS.turns, since: '2026-02-30' } } }] },
    'hours[0].who.turns.since',
    /^takes a day such/,
  ],
  [
    { hours: [{ who: { turns: { ...TURNS.turns, change: 'hourly' } } }] },
    'hours[0].who.turns.change',
    /^takes one of daily/,
  ],
  [{ hours: [{ who: { contactIds: ['anna', 'anna'] } }] }, 'hours[0].who.contactIds[1]', /^takes each of them once/],
  [
    { hours: [{ who: { contactIds: ['nobody'] } }] },
    'hours[0].who.contactIds[0]',
    /^takes the id or the key of a contact/,
  ],
  [
    { except: [{ from: '2026-12-24', to: '2026-12-23', contactIds: ['mia'] }] },
    'except[0].to',
    /^takes what comes after/,
  ],
  [
    { except: [{ from: '2026-12-24', to: '2026-12-25', contactIds: [] }] },
    'except[0].contactIds',
    /^takes 1 to 20 contacts/,
  ],
  [{ timeZone: 'Vienna' }, 'timeZone', /^takes an IANA time zone/],
];

test('what cannot be is refused, with what would do', async () => {
  const { own } = await aHouse();
  for (const [said, field, problem] of REFUSED) {
    const { code, fields } = await refusal(own.duties.createDuty({ duty: { ...SHOP, ...said } }));
    expect({ code, problem: fields[field] ?? fields }, field).toEqual({
      code: 'InvalidArgument',
      problem: expect.stringMatching(problem),
    });
  }
});

test('a duty names at most a hundred people, whoever writes it', async () => {
  const { own } = await aHouse();
  const people = Array.from({ length: 101 }, (_, at) => `p${at}`);
  const text = (count: number) => `version: 1
contacts:
${people.map(key => `  - { key: ${key}, name: ${key} }`).join('\n')}
duties:
  - key: crowd
    timeZone: UTC
    otherwise: [p0]
    hours:
${Array.from({ length: Math.ceil(count / 20) }, (_, at) => `      - { who: [${people.slice(at * 20, Math.min(count, at * 20 + 20)).join(', ')}] }`).join('\n')}
`;
  const { problems } = await own.configuration.check({ text: text(101) });
  expect(problems).toMatchObject([
    { field: 'duties[0].hours', problem: expect.stringMatching(/^takes at most 100 people in a duty.*, got 101/) },
  ]);
  for await (const { event } of own.configuration.apply({ text: text(100) })) {
    if (event.case === 'result') expect(event.value).toMatchObject({ outcome: 'applied', problems: [] });
  }
  const { contact } = await own.contacts.createContact({ contact: { name: 'One more' } });
  const span = { from: at('2190-01-01T00:00Z'), until: at('2190-01-02T00:00Z') };
  const { fields } = await refusal(own.duties.cover({ dutyId: 'crowd', ...span, contactIds: [contact!.id] }));
  expect(fields.hours).toMatch(/^takes at most 100 people in a duty.*, got 101/);

  // A cover that a file leaves counts with those whom it names.
  for await (const { event } of own.configuration.apply({ text: text(99) })) {
    if (event.case === 'result') expect(event.value).toMatchObject({ outcome: 'applied' });
  }
  await own.duties.cover({ dutyId: 'crowd', ...span, contactIds: [contact!.id] });
  expect((await own.configuration.check({ text: text(100) })).problems).toMatchObject([
    { field: 'duties[0].hours', problem: expect.stringMatching(/, got 101/) },
  ]);
});

test('a policy step names a contact or a duty', async () => {
  const { own } = await aHouse();
  await own.duties.createDuty({ duty: SHOP });
  const create = (one: object) =>
    own.policies.createPolicy({ policy: { name: 'Shop', steps: [{ contacts: [{ channels: ['call'], ...one }] }] } });
  for (const one of [{}, { contactId: 'anna', dutyId: 'shop-phone' }]) {
    expect((await refusal(create(one))).fields['steps[0].contacts[0].contactId']).toMatch(/^takes either a contact or/);
  }
  expect((await refusal(create({ dutyId: 'shop-fone' }))).fields['steps[0].contacts[0].dutyId']).toMatch(
    /^takes the id or the key of a duty of this account.* Did you mean "shop-phone"\?$/,
  );
  const { policy } = await create({ dutyId: 'shop-phone' });
  expect(policy!.steps[0]!.contacts).toMatchObject([
    { contactId: '', dutyId: expect.stringMatching(/^[a-z0-9]{32}$/) },
  ]);
});

test('somebody covers, and what was over long ago goes', async () => {
  const { own } = await aHouse();
  const old = { from: '2020-01-01', to: '2020-01-02', contactIds: ['mia'], note: 'long ago' };
  await own.duties.createDuty({ duty: { ...SHOP, hours: [], except: [old] } });
  const cover = (from: string, until: string) =>
    own.duties.cover({ dutyId: 'shop-phone', from: at(from), until: at(until), contactIds: ['noah'], note: 'ill' });
  await cover('2199-12-05T20:00+01:00', '2199-12-06T08:00+01:00');
  const { duty } = await cover('2199-12-07T20:00+01:00', '2199-12-08T08:00+01:00');
  expect(duty!.except.map(({ from, to, note }) => [from, to, note])).toEqual([
    ['2199-12-07T20:00', '2199-12-08T08:00', 'ill'],
    ['2199-12-05T20:00', '2199-12-06T08:00', 'ill'],
  ]);
  expect(await onDuty(own, '2199-12-07T23:00+01:00')).toMatchObject({ contacts: ['noah Noah'], note: 'ill' });
  expect((await refusal(cover('2026-01-01T00:00Z', '2026-01-02T00:00Z'))).fields.until).toMatch(
    /^takes a time to come/,
  );
  const endless = own.duties.cover({ dutyId: 'shop-phone', contactIds: ['noah'], from: at('2199-12-20T00:00Z') });
  expect((await refusal(endless)).fields.until).toMatch(/^takes a time to come/);
  const same = own.duties.swap({ dutyId: 'shop-phone', withAt: at('2199-12-20T00:00Z') });
  expect(await refusal(same)).toMatchObject({ code: 'FailedPrecondition' });
});

test('a file says duties as people write them, and reads back what it wrote', async () => {
  const { own } = await aHouse();
  const text = `version: 1
contacts:
  - { key: anna, name: Anna }
  - { key: noah, name: Noah }
  - { key: mia, name: Mia }
duties:
  - key: shop-phone
    timeZone: Europe/Vienna
    hours:
      - { days: mon-fri, from: "08:00", to: "18:00", who: [anna] }
      - { days: sat-sun, who: { turns: [noah, mia], change: weekly, at: "sat 08:00", since: 2026-11-28 } }
    otherwise: [anna]
    except:
      - { from: 2026-12-24, to: 2026-12-27, who: [mia], note: Christmas }
policies:
  - key: shop
    name: Shop
    steps:
      - contacts:
          - { duty: shop-phone, channels: [call] }
`;
  const apply = async (text: string) => {
    for await (const { event } of own.configuration.apply({ text })) if (event.case === 'result') return event.value;
    throw new Error('no result');
  };
  expect(await apply(text)).toMatchObject({ outcome: 'applied', problems: [] });
  expect(await onDuty(own, '2026-12-05T12:00+01:00')).toMatchObject({ contacts: ['mia Mia'] });
  expect(await onDuty(own, '2026-12-27T23:00+01:00')).toMatchObject({ contacts: ['mia Mia'], note: 'Christmas' });
  const { text: written } = await own.configuration.export({});
  expect(written).toContain('{ duty: shop-phone, channels: [ call ] }');
  expect(written).toMatch(/turns: ?\n? *\[? ?-? ?noah/);
  expect(written).not.toMatch(/[a-z0-9]{32}/);
  expect(await apply(written)).toMatchObject({ outcome: 'unchanged' });
  const { problems } = await own.configuration.check({
    text: text.replace('turns: [noah, mia]', 'turns: [noah, mja]').replace('who: [anna]', 'who: anna'),
  });
  expect(problems).toMatchObject([
    { line: 10, field: 'duties[0].hours[0].who', problem: expect.stringMatching(/^takes people, such as/) },
    { line: 11, field: 'duties[0].hours[1].who.turns[1]', didYouMean: 'mia' },
  ]);
});

test('nobody else sees or changes a duty', async () => {
  const { world, own } = await aHouse();
  const { duty } = await own.duties.createDuty({ duty: SHOP });
  const { console: other } = await newOwner(world, 'An outsider');
  await other.contacts.createContact({ contact: { name: 'Anna' } });
  const dutyId = duty!.id;
  const calls = [
    other.duties.getDuty({ dutyId }),
    other.duties.updateDuty({ duty: { id: dutyId, version: 1, name: 'Mine' } }),
    other.duties.deleteDuty({ dutyId }),
    other.duties.onDuty({ dutyId }),
    other.duties.listShifts({ dutyId }),
    other.duties.cover({ dutyId, contactIds: ['anna'], until: at('2199-01-01T00:00Z') }),
    other.duties.swap({ dutyId, withAt: at('2199-01-01T00:00Z') }),
    other.duties.rotateFeed({ dutyId }),
    other.duties.revokeFeed({ dutyId }),
  ];
  const codes = await Promise.all(calls.map(async call => (await refusal(call)).code));
  expect(new Set(codes)).toEqual(new Set(['NotFound']));
  expect((await other.duties.listDuties({})).duties).toEqual([]);
  const anna = duty!.otherwise!.contactIds[0]!;
  const theirs = { name: 'Theirs', timeZone: 'UTC', otherwise: { contactIds: [anna] } };
  expect((await refusal(other.duties.createDuty({ duty: theirs }))).code).toBe('InvalidArgument');
  const step = { dutyId, channels: ['call'] };
  const policy = { name: 'Theirs', steps: [{ contacts: [step] }] };
  expect((await refusal(other.policies.createPolicy({ policy }))).code).toBe('InvalidArgument');
});

test('who covers is told over the channels of the hours that they stand in for', async () => {
  const { own } = await aHouse();
  const hours = [
    { from: '08:00', to: '18:00', who: { contactIds: ['anna'] }, channels: ['call'] },
    { from: '18:00', to: '22:00', who: { contactIds: ['mia'] }, channels: ['push', 'email'] },
  ];
  await own.duties.createDuty({ duty: { ...SHOP, timeZone: 'UTC', hours } });
  const cover = async (from: string, until: string, more = {}) => {
    const { duty } = await own.duties.cover({
      ...{ dutyId: 'shop-phone', from: at(from), until: at(until), contactIds: ['noah'], ...more },
    });
    return duty!.except[0]!.channels;
  };
  expect(await cover('2190-01-01T09:00Z', '2190-01-01T12:00Z')).toEqual(['call']);
  expect((await cover('2190-01-02T09:00Z', '2190-01-02T20:00Z')).toSorted()).toEqual(['call', 'email', 'push']);
  // In the night they are told over all.
  expect(await cover('2190-01-03T20:00Z', '2190-01-03T23:00Z')).toEqual([]);
  expect(await cover('2190-01-04T09:00Z', '2190-01-04T12:00Z', { channels: ['text'] })).toEqual(['text']);
  const { duty } = await own.duties.swap({
    ...{ dutyId: 'shop-phone', at: at('2190-01-05T09:00Z'), withAt: at('2190-01-05T19:00Z') },
  });
  expect(duty!.except.slice(0, 2).map(({ channels }) => channels)).toEqual([['call'], ['push', 'email']]);
});

test('a file leaves the covers and swaps that it does not name', async () => {
  const { own } = await aHouse();
  const file = (more: { otherwise?: string; except?: string; people?: string[] } = {}) => `version: 1
contacts:
${(more.people ?? ['anna', 'noah', 'mia']).map(key => `  - { key: ${key}, name: ${key} }`).join('\n')}
duties:
  - key: shop-phone
    timeZone: Europe/Vienna
    otherwise: [${more.otherwise ?? 'anna'}]
    except: [${more.except ?? ''}]
`;
  const apply = async (text: string, prune = false) => {
    for await (const { event } of own.configuration.apply({ text, prune })) {
      if (event.case === 'result') return event.value;
    }
    throw new Error('no result');
  };
  const covers = async () => {
    const { duty } = await own.duties.getDuty({ dutyId: 'shop-phone' });
    return duty!.except.map(({ from, note, cover }) => [from, note, cover]);
  };
  const holidays = '{ from: 2190-12-24, to: 2190-12-27, who: [mia], note: Christmas }';
  await apply(file({ except: holidays }));
  const span = { from: at('2190-12-05T20:00+01:00'), until: at('2190-12-06T08:00+01:00') };
  await own.duties.cover({ dutyId: 'shop-phone', ...span, contactIds: ['noah'], note: 'ill' });
  const cover = ['2190-12-05T20:00', 'ill', true];
  expect(await covers()).toEqual([cover, ['2190-12-24', 'Christmas', false]]);
  expect(await apply(file({ except: holidays }))).toMatchObject({ outcome: 'unchanged' });
  expect(await apply(file({ otherwise: 'mia' }))).toMatchObject({ outcome: 'applied' });
  // What was of the file goes with it.
  expect(await covers()).toEqual([cover]);
  const { text } = await own.configuration.export({});
  expect(text).toContain('cover: true');
  expect(await apply(text)).toMatchObject({ outcome: 'unchanged' });
  // Written anew by somebody who changes the duty, it stays what it was.
  const { duty } = await own.duties.getDuty({ dutyId: 'shop-phone' });
  const except = duty!.except.map(one => ({ ...one, cover: false }));
  await own.duties.updateDuty({
    duty: { id: duty!.id, version: duty!.version, except },
    updateMask: { paths: ['except'] },
  });
  expect(await covers()).toEqual([cover]);
  // A cover by somebody who is not there any more falls away with them.
  expect(await apply(file({ people: ['anna', 'mia'] }), true)).toMatchObject({ outcome: 'applied', problems: [] });
  expect(await covers()).toEqual([]);
});
