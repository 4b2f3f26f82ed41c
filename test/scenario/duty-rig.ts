import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { consoleOf } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';

export const HOUR_S = 3_600;
export const DAY_S = 86_400;

export const time = (iso: string) => timestampFromMs(Date.parse(iso));

/**
 * A shop whose phone Noah and Mia have by weekly turns that change on Saturday at eight in Vienna, and its live alarm, which
 * tells whoever is on duty, and again after so many seconds. It is the Friday before a turn of Noah's ends, at eight in the
 * evening.
 */
export async function aShop({ againAfterS = 0, tell = false } = {}) {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const people: Record<string, string> = {};
  for (const name of ['Noah', 'Mia', 'Lea', 'Owner']) {
    people[name] = await owner.contact(name, { email: `${name.toLowerCase()}@example.com` });
  }
  const { Noah, Mia, Lea, Owner } = people as Record<'Noah' | 'Mia' | 'Lea' | 'Owner', string>;
  const [{ now }] = (await world.rows<{ now: number }>(
    'SELECT (extract(epoch FROM tocsin_now()) * 1000)::float8 AS now',
  )) as [{ now: number }];
  const friday = fridayAfter(now);
  await world.advance((friday - now) / 1_000);
  const own = consoleOf(world, world.operator, owner.accountId);
  const since = new Date(friday - 6 * DAY_S * 1_000).toISOString().slice(0, 10);
  const turns = { contactIds: [Noah, Mia], change: 'weekly', at: 'sat 08:00', since };
  const { duty } = await own.duties.createDuty({
    duty: {
      key: 'shop-phone',
      timeZone: 'Europe/Vienna',
      hours: [{ who: { turns } }],
      otherwise: { contactIds: [Owner] },
      tell,
    },
  });
  const step = { dutyId: 'shop-phone', channels: ['email'] };
  const steps = [{ contacts: [step] }, ...(againAfterS > 0 ? [{ delayS: againAfterS, contacts: [step] }] : [])];
  const { policy } = await own.policies.createPolicy({ policy: { name: 'Shop', steps } });
  const alarm = await owner.alarm({ name: 'Shop', modes: { away: { policyId: policy!.id } } });
  const key = await owner.key();
  const act = async (what: string) => {
    const { status } = await world.get(`/v1/alarm/${alarm}/${what}`, key);
    if (status !== 202) throw new Error(`${what} was answered ${status}`);
    await world.settle();
  };
  return {
    ...{ world, owner, own, smtp, duty: duty!, policy: policy!, alarm, act, people: { Noah, Mia, Lea, Owner } },
    /** Milliseconds since 1970 of that Friday. */
    friday,
    told: () => smtp.mails.map(mail => mail.envelope.to[0]!.split('@')[0]),
    stop: () => smtp.stop(),
  };
}

/** Returns the next Friday at eight in the evening in Vienna, at least a day later. */
function fridayAfter(now: number): number {
  const clock = new Intl.DateTimeFormat('en', {
    timeZone: 'Europe/Vienna',
    weekday: 'short',
    hour: 'numeric',
    hourCycle: 'h23',
  });
  let at = Math.ceil((now + DAY_S * 1_000) / 3_600_000) * 3_600_000;
  while (clock.format(at) !== 'Fri 20' && clock.format(at) !== 'Fri, 20') at += 3_600_000;
  return at;
}
