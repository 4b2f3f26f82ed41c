import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { CHANNELS } from '../../domain/delivery.ts';
import {
  CHANGES,
  changeFrom,
  clockFrom,
  DAY_MINUTES,
  dateFrom,
  daysFrom,
  EVERY_MOST,
  namedOn,
  type Turns,
  turnsOf,
  type Who,
  wallFrom,
} from '../../domain/duty.ts';
import { coversKept, coversMarked, EXCEPTIONS_MOST } from '../../domain/duty-covers.ts';
import { PEOPLE_OF_DUTY_MOST } from '../../limits/table.ts';
import { shownDate } from '../../process/wall-clock.ts';
import { mismatchOf } from '../../rpc/fields.ts';
import { say } from '../../rpc/reader.ts';
import { Duty } from '../../store/entities/duty.ts';
import { rowsOf } from '../../store/save-rows.ts';
import type { FieldFault } from '../errors.ts';
import { channel, key, list, oneLine, onlyOnce, reference, switchOr, takes, timeZone, whole } from '../fields.ts';
import type { Reference, Resource } from '../resource.ts';

/** The most of each that a duty has. */
const MOST = { together: 20, turns: 50, hours: 20, exceptions: EXCEPTIONS_MOST } as const;

const aDays = takes(accepts => accepts.weekdays);
const aClock = takes(accepts => accepts.clock);
const anEnd = takes(accepts => accepts.clockToEnd);
const aDate = takes(accepts => accepts.aDate);
const aChange = takes(accepts => accepts.oneOf(CHANGES));
const aDayOrTime = takes(accepts => accepts.dayOrTime);

const together = list(reference, 1, MOST.together, 'contacts').superRefine(onlyOnce(named => named));

const turns = z
  .strictObject({
    turns: list(reference, 1, MOST.turns, 'turns'),
    change: z.enum(CHANGES, aChange),
    every: whole(1, EVERY_MOST, 'changes').default(1),
    at: z.string(takes(accepts => accepts.changeOf.weekly)),
    since: z.string(aDate).refine(text => dateFrom(text) !== null, aDate),
  })
  .superRefine(changesThen);

const who = z.union(
  [together, turns],
  takes(accepts => accepts.who),
);

const channels = list(channel, 0, CHANNELS.length, 'channels')
  .superRefine(onlyOnce(word => word))
  .default([]);

const hours = z.strictObject({
  days: z
    .string(aDays)
    .refine(text => daysFrom(text) !== null, aDays)
    .default(''),
  from: z
    .string(aClock)
    .refine(text => (clockFrom(text) ?? DAY_MINUTES) < DAY_MINUTES, aClock)
    .default('00:00'),
  to: z
    .string(anEnd)
    .refine(text => clockFrom(text) !== null, anEnd)
    .default('24:00'),
  who,
  channels,
});

const exception = z
  .strictObject({
    from: z.string(aDayOrTime).refine(text => wallFrom(text, 'start') !== null, aDayOrTime),
    to: z.string(aDayOrTime).refine(text => wallFrom(text, 'end') !== null, aDayOrTime),
    who: together,
    note: oneLine(100).default(''),
    channels,
    cover: switchOr(false),
  })
  .superRefine(endsAfter);

const schema = z
  .strictObject({
    key,
    name: oneLine(100).default(''),
    timeZone,
    hours: list(hours, 0, MOST.hours, 'hours').default([]),
    otherwise: who,
    except: list(exception, 0, MOST.exceptions, 'exceptions').default([]),
    tell: switchOr(true),
  })
  .transform(doc => ({ ...doc, name: doc.name || doc.key }));

export type DutyDoc = z.infer<typeof schema>;

/** Who is on duty when (DECISIONS.md "On duty"). A policy names it in the place of a contact. */
export const duty: Resource<DutyDoc, InferEntity<typeof Duty>> = {
  kind: 'duty',
  schema,
  excess: tooManyPeople,
  nameOf: doc => doc.name,
  references: ({ hours, otherwise, except }) => [
    ...hours.flatMap(({ who }, at) => referencesOf(who, `hours[${at}].who`)),
    ...referencesOf(otherwise, 'otherwise'),
    ...except.flatMap(({ who }, at) => referencesOf(who, `except[${at}].who`)),
  ],
  settle(doc, before, { from, remains }) {
    if (before === null) return [];
    doc.except =
      from === 'file' ? coversKept(before.except, doc.except, remains) : coversMarked(before.except, doc.except);
    return [];
  },
  entity: Duty,
  living: {},
  reader:
    async () =>
    ({ key, name, timeZone, hours, otherwise, exceptions, tell, feedDigest }) => ({
      doc: { key, name, timeZone, hours, otherwise, except: exceptions, tell } as DutyDoc,
      facts: { feed: feedDigest === null ? 'none' : 'on' },
    }),
  rows({ accountId, id, doc, now }) {
    const { except, ...rest } = doc;
    // Looked at anew at once: who is on duty may be somebody else now.
    return {
      saved: [
        rowsOf(Duty, [
          { accountId, id, ...rest, exceptions: except, contactIds: namedOn(doc), lookAt: shownDate(now) },
        ]),
      ],
    };
  },
  remove: (em, accountId, ids) => em.nativeDelete(Duty, { accountId, id: { $in: ids } }),
};

function referencesOf(who: Who, path: string): Reference[] {
  const turns = turnsOf(who);
  const named = (turns?.turns ?? who) as string[];
  const within = turns === null ? path : `${path}.turns`;
  return named.map((contact, at) => ({
    kind: 'contact',
    path: `${within}[${at}]`,
    named: contact,
    take(id) {
      named[at] = id;
    },
  }));
}

/** Blames what people are most easily taken out of. */
function tooManyPeople(doc: DutyDoc): FieldFault[] {
  const people = namedOn(doc).length;
  if (people <= PEOPLE_OF_DUTY_MOST) return [];
  const { people: most, mismatch } = say().accepts;
  const field = doc.hours.length > 0 ? 'hours' : doc.except.length > 0 ? 'except' : 'otherwise';
  return [{ field, problem: mismatch(most(PEOPLE_OF_DUTY_MOST), String(people)) }];
}

/** The form of `at` depends on what it is the time of. */
function changesThen({ change, at }: Pick<Turns, 'change' | 'at'>, context: z.core.$RefinementCtx<unknown>): void {
  if (changeFrom({ change, at }) !== null) return;
  context.addIssue({ code: 'custom', message: mismatchOf(say().accepts.changeOf[change], at), path: ['at'] });
}

function endsAfter({ from, to }: { from: string; to: string }, context: z.core.$RefinementCtx<unknown>): void {
  if ((wallFrom(from, 'start') ?? 0) < (wallFrom(to, 'end') ?? Number.POSITIVE_INFINITY)) return;
  context.addIssue({ code: 'custom', message: mismatchOf(say().accepts.afterFrom, to), path: ['to'] });
}
