import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { onTestFinished } from 'vitest';
import type { Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startSmtp } from '../../support/smtp.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, openConsole, startConsole } from './console-rig.ts';

/** A Friday evening in Vienna, at eight. */
export const FRIDAY = new Date('2026-11-27T19:00:00Z');

/** A day of the week after, by its number from that Friday on, at a time of UTC. */
export const after = (days: number, clock = '12:00') =>
  timestampFromDate(
    new Date(`${new Date(FRIDAY.getTime() + days * 86_400_000).toISOString().slice(0, 10)}T${clock}:00Z`),
  );

/** Signs in on that Friday: it is that in the product, and in the browser once a screen is opened. */
export async function openOnFriday(
  { world, url }: Pick<Awaited<ReturnType<typeof startConsole>>, 'world' | 'url'>,
  screen = DESK,
): Promise<Page> {
  const [{ now }] = (await world.rows<{ now: Date }>('SELECT tocsin_now() AS now')) as [{ now: Date }];
  await world.advance((FRIDAY.getTime() - new Date(now).getTime()) / 1_000);
  const page = await openConsole(url, world.operator, screen);
  await toFriday(page);
  return page;
}

/** Lets the next screens that are opened take it for that Friday. */
export async function toFriday(page: Page): Promise<void> {
  await page.ask('Page.addScriptToEvaluateOnNewDocument', {
    source: `Date = class extends Date {
      constructor(...given) {
        if (given.length === 0) super(Date.now());
        else super(...given);
      }
      static now() {
        return super.now() + ${FRIDAY.getTime() - Date.now()};
      }
    };`,
  });
}

/** The people of a shop, and its duty: on weekdays Anna from eight to six, at weekends the others in turns, else the owner. */
export async function aDuty({ world, owner }: Pick<Awaited<ReturnType<typeof startConsole>>, 'world' | 'owner'>) {
  const people = await aShopsPeople(owner);
  const { Anna, Noah, Mia, Lea, Omar } = people;
  const seen = consoleOf(world, world.operator, owner.accountId);
  const turns = { contactIds: [Noah, Mia, Lea], change: 'weekly', at: 'sat 00:00', since: '2026-11-28' };
  const { duty } = await seen.duties.createDuty({
    duty: {
      name: 'Shop phone',
      timeZone: 'Europe/Vienna',
      hours: [
        { days: 'mon-fri', from: '08:00', to: '18:00', who: { contactIds: [Anna] } },
        { days: 'sat-sun', who: { turns } },
      ],
      otherwise: { contactIds: [Omar] },
    },
  });
  return { seen, people, duty: duty! };
}

/** The people of a shop, whose addresses are verified. */
export async function aShopsPeople(owner: Awaited<ReturnType<typeof startConsole>>['owner']) {
  const people: Record<string, string> = {};
  for (const name of ['Anna', 'Noah', 'Mia', 'Lea', 'Omar']) {
    people[name] = await owner.contact(name, { email: `${name.toLowerCase()}@example.com` });
  }
  return people as Record<'Anna' | 'Noah' | 'Mia' | 'Lea' | 'Omar', string>;
}

/** A console whose people can be reached by email. */
export async function startReached() {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  return startConsole({ smtpUrl: smtp.url });
}

/** A shop with its duty, on a Friday evening at eight, and the screen of the duty. */
export async function aShop(screen = DESK) {
  const started = await startReached();
  const made = await aDuty(started);
  const page = await openOnFriday(started, screen);
  await page.open(`${started.url}/duties/${made.duty.id}`);
  await eventually(() => page.evaluate(`document.querySelectorAll('.week > li').length === 7`), { what: 'the week' });
  return {
    ...started,
    ...made,
    page,
    shifts: async () => (await made.seen.duties.listShifts({ dutyId: made.duty.id })).shifts,
  };
}
