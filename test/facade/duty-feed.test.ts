import { expect, test } from 'vitest';
import { feedOf } from '../../services/configuration/duty-feed.ts';
import { createRateLimits } from '../../services/limits/rate-limits.ts';
import { aShop, DAY_S, HOUR_S } from '../scenario/duty-rig.ts';
import { refusal } from '../support/console.ts';

/** A shop whose duty has a feed. */
async function aFeed() {
  const shop = await aShop();
  const { secret, url } = await shop.own.duties.rotateFeed({ dutyId: 'shop-phone' });
  const get = (address: string, init?: RequestInit) => fetch(`${shop.world.url}/duty/${address}`, init);
  return { ...shop, secret, url, get };
}

test('text says who is on duty now, one name a line', async () => {
  const { get, secret, world, own, people, stop } = await aFeed();
  const read = async () => (await get(`${secret}.txt`)).text();
  expect(await read()).toBe('Noah\n');
  await world.advance(12 * HOUR_S);
  expect(await read()).toBe('Mia\n');
  await own.duties.cover({ dutyId: 'shop-phone', contactIds: [people.Lea, people.Noah] });
  expect(await read()).toBe('Lea\nNoah\n');
  await stop();
});

test('JSON says who is on duty now and then, and nothing of how they are reached', async () => {
  const { get, secret, friday, stop } = await aFeed();
  const answer = await get(`${secret}.json`);
  const body = (await answer.json()) as { shifts: object[] };
  const change = friday + 12 * HOUR_S * 1_000;
  const iso = (at: number) => new Date(at).toISOString();
  const now = { from: iso(change - 7 * DAY_S * 1_000), until: iso(change), names: ['Noah'] };
  expect(body).toMatchObject({ duty: 'shop-phone', timeZone: 'Europe/Vienna', now });
  expect(body.shifts.slice(0, 2)).toEqual([
    now,
    { from: iso(change), until: iso(change + 7 * DAY_S * 1_000), names: ['Mia'] },
  ]);
  expect(JSON.stringify(body)).not.toContain('@');
  await stop();
});

test('the calendar has a shift each, as far ahead as it is asked for', async () => {
  const { get, secret, friday, stop } = await aFeed();
  const events = async (more = '') => {
    const text = await (await get(`${secret}.ics${more}`)).text();
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n[\s\S]*\r\nEND:VCALENDAR\r\n$/);
    return text.split('BEGIN:VEVENT').slice(1);
  };
  const [noah, mia] = await events();
  const stamp = (at: number) => new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').concat('Z');
  expect(noah).toContain(`DTEND:${stamp(friday + 12 * HOUR_S * 1_000)}\r\n`);
  expect(mia).toContain(`DTSTART:${stamp(friday + 12 * HOUR_S * 1_000)}\r\n`);
  expect(mia).toContain('SUMMARY:Mia (shop-phone)\r\n');
  expect((await events('?days=14')).length).toBe(3);
  expect((await events('?days=60')).length).toBe(10);
  // Less than 14, more than 60 and what is no number are as near as can be.
  expect((await events('?days=1')).length).toBe(3);
  expect((await events('?days=999')).length).toBe(10);
  expect((await events('?days=many')).length).toBe((await events()).length);
  await stop();
});

test('no cache that is shared keeps it, no search engine lists it, and a HEAD says the same', async () => {
  const { get, secret, stop } = await aFeed();
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await get(`${secret}.ics`, { method });
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': 'private, max-age=60',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  }
  await stop();
});

test('another secret opens nothing, and one that was replaced or revoked no more', async () => {
  const { get, secret, own, world, stop } = await aFeed();
  const gone = async (address: string) => {
    const answer = await get(address);
    return { status: answer.status, body: await answer.text(), cache: answer.headers.get('cache-control') };
  };
  const none = { status: 404, body: '{"message":"There is no such feed."}', cache: 'no-store' };
  const other = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
  for (const address of [`${other}.ics`, `${secret}.xml`, secret, `${secret.toUpperCase()}.ics`, 'x.ics', '%00.ics']) {
    expect(await gone(address), address).toEqual(none);
  }
  const { secret: second } = await own.duties.rotateFeed({ dutyId: 'shop-phone' });
  expect(await gone(`${secret}.txt`)).toEqual(none);
  expect((await get(`${second}.txt`)).status).toBe(200);
  expect((await own.duties.getDuty({ dutyId: 'shop-phone' })).duty!.feed).toBe('on');
  await own.duties.revokeFeed({ dutyId: 'shop-phone' });
  expect(await gone(`${second}.txt`)).toEqual(none);
  expect((await own.duties.getDuty({ dutyId: 'shop-phone' })).duty!.feed).toBe('none');
  expect(await refusal(own.duties.getFeed({ secret, days: 14 }))).toMatchObject({ code: 'NotFound' });
  // What is stored opens nothing.
  await own.duties.rotateFeed({ dutyId: 'shop-phone' });
  const [{ digest }] = (await world.rows<{ digest: string }>(
    "SELECT encode(feed_digest, 'hex') AS digest FROM duty",
  )) as [{ digest: string }];
  expect(await gone(`${digest.slice(0, 40)}.txt`)).toEqual(none);
  const actions = (await own.audit.listChanges({})).changes.filter(({ kind }) => kind === 'duty');
  expect(actions.map(({ action }) => action)).toEqual(['rotate', 'revoke', 'rotate', 'rotate', 'create']);
  await stop();
});

test('each answer is a read of its account', async () => {
  const { own, owner, secret, world, stop } = await aFeed();
  const other = await world.account();
  const few = { burst: 3, perSecond: 0.000_001 };
  const limits = createRateLimits({ read: few, action: few });
  const readBy = (accountId: string) => {
    limits.learn({ of: accountId, source: null }, 'good');
    return limits.take({ of: accountId, callClass: 'read', source: null });
  };
  const read = (secret: string) => feedOf({ store: world.store, limits }, secret, 14);
  expect(readBy(owner.accountId)).toBe('taken');
  expect(await read(secret)).toMatchObject({ name: 'shop-phone' });
  expect(await read(secret)).toMatchObject({ name: 'shop-phone' });
  expect(await refusal(read(secret))).toMatchObject({ code: 'ResourceExhausted' });
  expect(readBy(owner.accountId)).toBe('too_many');
  // Nobody else's, and whoever has no secret uses up nothing.
  expect(readBy(other.accountId)).toBe('taken');
  await own.duties.revokeFeed({ dutyId: 'shop-phone' });
  expect(await refusal(read(secret))).toMatchObject({ code: 'NotFound' });
  await stop();
});

test('every event has a beginning, an end, a stamp and a name that stays, what holds otherwise too', async () => {
  const { get, secret, own, duty, people, world, stop } = await aFeed();
  const set = async (hours: object[]) => {
    const { version } = (await own.duties.getDuty({ dutyId: duty.id })).duty!;
    await own.duties.updateDuty({ duty: { id: duty.id, version, hours }, updateMask: { paths: ['hours'] } });
  };
  const events = async () => {
    const [, ...said] = (await (await get(`${secret}.ics`)).text()).split('BEGIN:VEVENT');
    const value = (event: string, name: string) => new RegExp(`${name}:(.*)\r\n`).exec(event)?.[1];
    return said.map(event => {
      const [start, end, stamp] = ['DTSTART', 'DTEND', 'DTSTAMP'].map(name => value(event, name)!);
      for (const one of [start, end, stamp]) expect(one).toMatch(/^\d{8}T\d{6}Z$/);
      expect(start! < end!).toBe(true);
      return { uid: value(event, 'UID'), who: value(event, 'SUMMARY') };
    });
  };
  await set([{ days: 'mon-fri', from: '08:00', to: '18:00', who: { contactIds: [people.Noah] } }]);
  const both = await events();
  expect(new Set(both.map(({ who }) => who))).toEqual(new Set(['Noah (shop-phone)', 'Owner (shop-phone)']));
  expect(new Set(both.map(({ uid }) => uid)).size).toBe(both.length);
  await world.advance(60);
  expect(await events()).toEqual(both);
  // For good: it ends where the calendar does.
  await set([]);
  const [always, ...more] = await events();
  expect(more).toEqual([]);
  await world.advance(HOUR_S);
  expect(await events()).toEqual([always]);
  await stop();
});
