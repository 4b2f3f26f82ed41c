import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { ChannelKind } from '../../domain/delivery.ts';
import { type DrillDue, drillChannels, drillDue } from '../../domain/drill.ts';
import { meansOf } from '../../domain/reach.ts';
import { isCharged, limitReached } from '../../domain/spend.ts';
import type { Kept } from '../../limits/kept.ts';
import { clean, NAME_LENGTH } from '../../process/text.ts';
import { toWall } from '../../process/wall-clock.ts';
import { newId } from '../../store/id.ts';
import { inTransaction } from '../../store/statement.ts';
import {
  beginDrilling,
  type DrilledContact,
  type DrillPlace,
  FIRST_PLACE,
  placeOf,
  readPeopleToDrill,
  readUnanswered,
} from '../../store/statements/drill.ts';
import { addProof } from '../../store/statements/proof.ts';
import { spentToday } from '../../store/statements/spend.ts';
import { type NoticeWrite, noWrites, writeAll } from '../../store/statements/write.ts';
import type { Written } from '../apply/write-decided.ts';
import { type LookAgain, type Loop, startLoop } from '../loop.ts';
import { type DrillOver, openDrill } from './open-drill.ts';

/** How many people one look goes through. */
const PAGE = 200;

/**
 * How many drills open between two rests: at ten o'clock all people of a zone are due at once, and the messages of others
 * must not wait behind theirs.
 */
export const DRILLS_OF_SWEEP = 20;

/** Between two passes over all people, and between two looks of one, in milliseconds. */
const SWEEP_MS = 60_000;
const PAGE_MS = 500;

/** Whom the call log names where a drill was planned by itself. */
const ACTOR = 'Tocsin';

/**
 * Plans drills by themselves (DECISIONS.md "Drill"): passes over the people of the accounts that want it, opens the drill
 * of whoever is due, and tells owners of two in a row that were not answered. One process at a time does so, and each
 * transaction reads anew what the last one wrote: no drill is planned twice, whoever dies when.
 */
export function startDrills(engine: {
  pool: Pool;
  carriers: readonly ChannelKind[];
  kept: Kept;
  log: Logger;
  onOpened(written: Written): void;
  onNotice(): void;
}): Pick<Loop, 'nudge' | 'drain' | 'close'> {
  const { pool, carriers, kept, log } = engine;
  let after: DrillPlace = FIRST_PLACE;
  let left = DRILLS_OF_SWEEP;

  async function look(): Promise<LookAgain> {
    const done = await inTransaction(pool, plan);
    if (done === 'busy') return { inMs: SWEEP_MS };
    for (const written of done.opened) engine.onOpened(written);
    if (done.notices > 0) engine.onNotice();
    after = done.next ?? FIRST_PLACE;
    left -= done.opened.length;
    if (done.next !== null && left > 0) return { restMs: PAGE_MS };
    left = DRILLS_OF_SWEEP;
    return { inMs: SWEEP_MS };
  }

  async function plan(client: PoolClient) {
    if ((await beginDrilling(client)) === 'busy') return 'busy' as const;
    const { people, next } = await readPeopleToDrill(client, after, PAGE);
    const spendOf = createSpend(client);
    const opened: Written[] = [];
    let notices = 0;
    for (const person of people) {
      const { accountId, contact } = person;
      const due = judge(person, 'within');
      if (due.kind === 'missed') notices += await tellMissed(client, person, due.incidentId);
      if (person.last?.state === 'closed' && person.last.answer === 'none') await reportUnanswered(client, person);
      if (due.kind !== 'over') continue;
      const spend = await spendOf(accountId);
      const on = { client, log, carriers, kept };
      const drill = await openDrill(on, { accountId, contactId: contact.id }, ACTOR, now => judge(now, spend));
      if (drill.kind !== 'opened') continue;
      opened.push(drill.written);
      log.info({ incident: drill.incidentId, channel: drill.channel }, 'a drill began');
      if (opened.length === left) return { opened, notices, next: placeOf(person) };
    }
    return { opened, notices, next };
  }

  /** Returns over what a person is drilled now, if they are due; once a limit is reached over nothing that costs money. */
  function judge(person: DrilledContact, spend: Spend): DrillOver | Exclude<DrillDue, { kind: 'due' }> {
    const reached = drillChannels(person.contact, meansOf(person, carriers), person.now);
    const channels = reached.filter(channel => spend === 'within' || !isCharged(channel));
    const { timeZone } = person.contact;
    const due = drillDue({ ...person, timeZone, channels }, person.now, toWall(person.now));
    return due.kind === 'due' ? { kind: 'over', channel: due.channel, channels } : due;
  }

  return startLoop('drills', look, log, SWEEP_MS);
}

type Spend = 'within' | 'reached';

/** Returns how an account stands against its cap and its ceiling today, asked once for each account. */
function createSpend(client: PoolClient): (accountId: string) => Promise<Spend> {
  const known = new Map<string, Spend>();
  return async accountId => {
    const before = known.get(accountId);
    if (before !== undefined) return before;
    const today = await spentToday(client, accountId);
    const spend = today === null || limitReached(today) === 'none' ? 'within' : 'reached';
    known.set(accountId, spend);
    return spend;
  };
}

/** Tells the owners once that two drills in a row were not answered. Returns how many notices were new. */
async function tellMissed(client: PoolClient, person: DrilledContact, incidentId: string): Promise<number> {
  const unanswered = await readUnanswered(client, person.accountId, incidentId);
  if (unanswered === null || unanswered.noticed) return 0;
  const { contact, accountId, now } = person;
  const about = { names: clean(contact.name, NAME_LENGTH) };
  const notice: NoticeWrite = {
    accountId,
    id: newId(),
    kind: 'drill_missed',
    once: incidentId,
    incidentId,
    about,
    at: now,
  };
  await writeAll(client, { ...noWrites(), notices: [notice] });
  return 1;
}

/** Adds to the report that a drill was not answered. */
async function reportUnanswered(client: PoolClient, { accountId, last }: DrilledContact): Promise<void> {
  const unanswered = await readUnanswered(client, accountId, last!.incidentId);
  if (unanswered === null || unanswered.reported) return;
  const { contactId, channel, contactName } = unanswered;
  const contact = { kind: 'unanswered', contactName: clean(contactName, NAME_LENGTH) } as const;
  await addProof(client, { accountId, contactId, channel, incidentId: last!.incidentId }, contact);
}
