import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { DaySchema, DayService } from '../../gen/tocsin/console/v1/days_pb.ts';
import { coveredOn, type DaySpan, type KnownSince, knownOf, lastDays, stoodOn } from '../domain/days.ts';
import { aheadByMs, toWall } from '../process/wall-clock.ts';
import { withAccess } from '../rpc/auth.ts';
import { tokenAt } from '../rpc/pages.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import type { Pepper } from '../store/secret.ts';
import type { Store } from '../store/store.ts';
import { type DayRow, LOOKED_AT_A_DAY, readDays, readSourceOfDays, type SourceRow } from './statements/days.ts';

const DAY_MS = 86_400_000;

type Kept = number | 'forever';

/** What the service of days needs. */
export interface DaysOn {
  store: Store;
  /** KEY_PEPPER, under which console tokens are digested. */
  pepper: Pepper;
  /** For how many days calls and incidents are kept. */
  retention: { calls: Kept; incidents: Kept };
}

/** What the last days of an alarm or panic button were like (DECISIONS.md "Days of a source"). Reads only. For console tokens. */
export function createDayService({ store, pepper, retention }: DaysOn): ServiceImpl<typeof DayService> {
  const asked = withAccess(store, pepper);
  return {
    listDays: asked(async ({ sourceId }, { accountId }) => {
      const source = await readSourceOfDays(store.pool, accountId, sourceId);
      if (source === null) throw new ConnectError(say().refusals.noSuch('alarm', ''), Code.NotFound);
      const { now } = source;
      // Days are those that clocks show.
      const ahead = aheadByMs();
      const spans = lastDays(source.zone, toWall(now)).map(({ day, from, to }) => ({
        day,
        from: from + ahead,
        to: to + ahead,
      }));
      const rows = await readDays(store.pool, { ...source, accountId }, [
        ...spans.map(({ from }) => from),
        now + DAY_MS,
      ]);
      const known = { createdAt: source.createdAt, keptFrom: now - daysKept(retention) * DAY_MS };
      return {
        sourceId: source.id,
        sourceName: source.name,
        sourceKind: source.kind,
        timeZone: source.zone,
        days: daysOf(spans, rows, { ...source, ...known }),
      };
    }),
  };
}

function daysOf(
  spans: readonly DaySpan[],
  rows: readonly DayRow[],
  source: SourceRow & KnownSince,
): MessageInitShape<typeof DaySchema>[] {
  const { createdAt, keptFrom, now } = source;
  const days = spans.map((span, nth) => {
    const { changes, rows: looked, lastAt } = rows[nth]!;
    const set = changes.map(([at, to]) => ({ at, to }));
    return { ...span, ...knownOf(span, source), changes: set, lookedTo: looked > LOOKED_AT_A_DAY ? lastAt : null };
  });
  const isNew = createdAt !== null && createdAt >= Math.max(keptFrom, spans[0]!.from);
  const before = isNew ? 'disarmed' : (rows[0]!.before ?? '');
  const stood = source.kind === 'alarm' ? stoodOn(days, { before, now: source.armedMode ?? 'disarmed' }) : null;
  const silences = [
    ...rows.flatMap(({ silences }) => silences.map(([from, to]) => ({ from, to }))),
    ...source.silentSince.map(from => ({ from, to: now })),
  ];
  return days.map((day, nth) => {
    const { day: name, from, to, known } = day;
    const about = { day: name, beginsAt: protoTime(from), endsAt: protoTime(to), known };
    if (known === 'before' || known === 'removed') return about;
    const modes = stood === null ? [] : stood[nth]!.map(({ mode, ms }) => ({ mode, seconds: seconds(ms) }));
    return { ...about, ...figuresOf(rows[nth]!), modes, silentS: seconds(coveredOn(day, silences)) };
  });
}

function figuresOf(row: DayRow) {
  return {
    calls: Math.min(row.calls, LOOKED_AT_A_DAY),
    moreCalls: Math.max(row.calls, row.rows) > LOOKED_AT_A_DAY,
    liveIncidents: row.live,
    testIncidents: row.test,
    falseAlarms: row.falseAlarms,
    moreIncidents: row.incidents > LOOKED_AT_A_DAY,
    callsPageToken: row.rows === 0 ? '' : tokenAt(`logged/${row.endsBefore}`),
  };
}

/** Both are shown: what is kept for less time says how far back all of it is known. */
function daysKept({ calls, incidents }: DaysOn['retention']): number {
  const days = [calls, incidents].filter(kept => kept !== 'forever');
  return Math.min(Number.POSITIVE_INFINITY, ...days);
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
