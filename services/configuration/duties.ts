import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type Duty,
  type DutyPersonSchema,
  DutyService,
  type DutyShiftSchema,
  type DutyWho,
  type DutyWhoSchema,
} from '../../gen/tocsin/console/v1/duties_pb.ts';
import { namedOn, type Turns, turnsOf, type Who } from '../domain/duty.ts';
import { type Shift, shiftsAround } from '../domain/duty-shifts.ts';
import { type OnDuty, onDuty } from '../domain/on-duty.ts';
import { toWall } from '../process/wall-clock.ts';
import { withAccess } from '../rpc/auth.ts';
import { timeFilter } from '../rpc/fields.ts';
import { say } from '../rpc/reader.ts';
import { Contact } from '../store/entities/contact.ts';
import { type ConsoleOn, readOnOf } from './console.ts';
import { createCrud, crudMethods } from './crud.ts';
import { createDutyChanges } from './duty-changes.ts';
import { type FeedOn, feedOf } from './duty-feed.ts';
import { inMessagePaths } from './duty-paths.ts';
import { invalidField } from './errors.ts';
import { listOrAbsent, numberOrAbsent, orAbsent } from './messages.ts';
import { thingNamed } from './no-such.ts';
import { planOf } from './plan-coverage.ts';
import type { Stored } from './resource.ts';
import { type DutyDoc, duty as resource } from './resources/duty.ts';

/** How many days ListShifts looks ahead, and the most shifts that it returns. */
const DAYS = { usual: 14, most: 60 } as const;
const SHIFTS_MOST = 500;
const DAY_MS = 86_400_000;

/** Who is on duty when (DECISIONS.md "On duty"). */
export function createDutyService(
  deps: ConsoleOn & FeedOn & { publicUrl(): string | null },
): ServiceImpl<typeof DutyService> {
  const asked = withAccess(deps.store, deps.pepper);
  const duties = createCrud(deps, {
    resource,
    kept: ['hours', 'otherwise', 'except', 'tell'],
    givenBy,
    viewer: async () => view,
  });

  /** Reads a duty with the names of everybody on it, and the time as clocks show it. */
  async function readDuty(accountId: string, named: string) {
    const on = readOnOf(deps, accountId);
    const { doc } = await thingNamed(on, resource, named);
    const ids = { $in: namedOn(doc) };
    const people = await on.em.find(Contact, { accountId, id: ids }, { fields: ['id', 'key', 'name'] });
    const now = toWall((await planOf(deps.store.pool, accountId)).now.getTime());
    return { doc, now, people: new Map(people.map(({ id, key, name }) => [id, { contactId: id, key, name }])) };
  }

  return {
    ...inMessagePaths({ ...crudMethods(DutyService, duties), ...createDutyChanges(deps, view) }),
    getFeed: ({ secret, days }) => feedOf(deps, secret, days),
    onDuty: asked(async ({ dutyId, at }, { accountId }) => {
      const { doc, now, people } = await readDuty(accountId, dutyId);
      return onDutyView(onDuty(doc, timeFilter('at', at)?.getTime() ?? now), people);
    }),
    listShifts: asked(async ({ dutyId, from, days }, { accountId }) => {
      if (days < 0 || days > DAYS.most) throw invalidField('days', say().accepts.days(DAYS.most, DAYS.usual), days);
      const { doc, now, people } = await readDuty(accountId, dutyId);
      const start = timeFilter('from', from)?.getTime() ?? now;
      const shifts = shiftsAround(doc, start, start + (days || DAYS.usual) * DAY_MS, SHIFTS_MOST);
      return { shifts: shifts.map(shift => shiftView(shift, people)) };
    }),
  };
}

type People = ReadonlyMap<string, MessageInitShape<typeof DutyPersonSchema>>;

function onDutyView({ contacts, channels, until, because }: OnDuty, people: People) {
  return {
    contacts: contacts.flatMap(id => people.get(id) ?? []),
    channels: [...(channels ?? [])],
    ...(until !== null && { until: timestampFromMs(until) }),
    because: because.rule,
    entry: 'at' in because ? because.at : 0,
    note: 'note' in because ? because.note : '',
  };
}

function shiftView({ from, ...shift }: Shift, people: People): MessageInitShape<typeof DutyShiftSchema> {
  return { from: timestampFromMs(from), ...onDutyView(shift, people) };
}

function givenBy({ key, name, timeZone, hours, otherwise, except, tell }: Duty) {
  return {
    key: orAbsent(key),
    name,
    timeZone: orAbsent(timeZone),
    hours: listOrAbsent(
      hours.map(({ days, from, to, who, channels }) => ({
        days,
        from: orAbsent(from),
        to: orAbsent(to),
        who: whoGiven(who),
        channels,
      })),
    ),
    otherwise: whoGiven(otherwise),
    except: listOrAbsent(
      except.map(({ from, to, contactIds, note, channels }) => ({ from, to, who: contactIds, note, channels })),
    ),
    tell,
  };
}

function whoGiven(who: DutyWho | undefined) {
  if (who?.turns === undefined) return who?.contactIds;
  const { contactIds, change, every, at, since } = who.turns;
  return { turns: contactIds, change, every: numberOrAbsent(every), at, since };
}

/** Returns a duty as its message. */
export function view({ id, version, doc, facts }: Stored<DutyDoc>) {
  return {
    id,
    version,
    ...doc,
    hours: doc.hours.map(one => ({ ...one, who: whoView(one.who) })),
    otherwise: whoView(doc.otherwise),
    except: doc.except.map(({ who, ...one }) => ({ ...one, contactIds: who })),
    feed: String(facts.feed),
  };
}

function whoView(who: Who): MessageInitShape<typeof DutyWhoSchema> {
  const turns: Turns | null = turnsOf(who);
  if (turns === null) return { contactIds: [...(who as readonly string[])] };
  const { turns: people, ...rest } = turns;
  return { turns: { contactIds: [...people], ...rest } };
}
