import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { GetTonightResponseSchema, TonightService } from '../../gen/tocsin/console/v1/tonight_pb.ts';
import { invalidField } from '../configuration/errors.ts';
import { sourceNamed } from '../configuration/no-such.ts';
import { localDay, timeAndDay } from '../domain/local-time.ts';
import { carriersOf } from '../domain/reach.ts';
import { worstFirst } from '../domain/readiness.ts';
import {
  concerning,
  summaryOf,
  type Tonight,
  type TonightLine,
  type TonightSource,
  tonight,
} from '../domain/tonight.ts';
import { createHeldTurns } from '../limits/fair.ts';
import { chosenTime, toWall } from '../process/wall-clock.ts';
import { withAccess } from '../rpc/auth.ts';
import { protoTime, timeText } from '../rpc/proto-time.ts';
import { readersLanguage, say } from '../rpc/reader.ts';
import type { ReadinessOn } from './readiness.ts';
import { findingsOfAccount, findingView, type LookedAt, lookAt } from './readiness-load.ts';
import { readOwnersZone } from './statements.ts';

/** How far ahead may be asked, in days. */
const AHEAD_DAYS = 31;

const DAY_MS = 86_400_000;

/** How much an answer holds. */
const MOST = { places: 200, lines: 50, sources: 20, people: 50, silent: 50, findings: 50 };

/** From and to which hour of its owner's day it is night. */
const NIGHT = { from: 18, to: 6 };

/** How tonight would go, in one sentence and at length (DECISIONS.md "Tonight"). Reads only. For console tokens. */
export function createTonightService(deps: ReadinessOn): ServiceImpl<typeof TonightService> {
  const { pool, orm } = deps.store;
  const asked = withAccess(deps.store, deps.pepper);
  const carriers = carriersOf(deps.channels);
  const { respondFrom } = deps.channels;
  const inTurn = createHeldTurns(1);
  return {
    getTonight: asked(async ({ at: wanted, sourceId }, { accountId }, { signal }) => {
      const id = sourceId === '' ? null : await sourceNamed({ em: orm.em.fork(), accountId }, sourceId);
      const concerned = id === null ? 'all' : ({ by: 'source', id } as const);
      const publicUrl = deps.publicUrl();
      const failing = await deps.channels.failing('ask');
      const [looked, zone, ofAccount] = await inTurn(accountId, async () => {
        signal.throwIfAborted();
        return Promise.all([
          lookAt(pool, { accountId, concerned, carriers, publicUrl, respondFrom, failing, seal: deps.seal }),
          readOwnersZone(pool, accountId),
          findingsOfAccount(pool, accountId, carriers),
        ]);
      });
      const now = looked.at.getTime();
      const at = wanted === undefined ? now : askedTime(timeText(wanted), now);
      const sources = looked.sources.map(one => sourceOf(one, at));
      const senders = looked.supervised.map(({ id, label, silentSince }) => ({ keyId: id, label, silentSince }));
      const on = { ...looked, at, senders };
      const told = tonight(sources, on);
      const summary = summaryOf(told, at);
      const words = say().tonight;
      const clock = (time: number) => timeAndDay(toWall(time), readersLanguage(), zone);
      const when = wanted === undefined ? words.when[partOfDay(toWall(now), zone)] : clock(at);
      return {
        at: protoTime(at),
        verdict: told.verdict,
        reason: told.reason ?? '',
        title: words.title(when, summary),
        text: words.text(summary, clock),
        ...shown(told),
        findings: [...ofAccount, ...findingsShown(looked.sources, at)].slice(0, MOST.findings),
      };
    }),
  };
}

/** Returns a time that was asked about, as the deployment counts it. Throws INVALID_ARGUMENT. */
function askedTime(text: string, now: number): number {
  const at = chosenTime(text).getTime();
  // A moment ago is now: the caller's clock and ours differ.
  if (at >= now - 60_000 && at <= now + AHEAD_DAYS * DAY_MS) return Math.max(at, now);
  throw invalidField('at', say().accepts.timeAhead(AHEAD_DAYS), text);
}

function partOfDay(at: number, timeZone: string): 'night' | 'day' {
  const hour = Number(localDay(new Date(at).toISOString(), timeZone)!.time.slice(0, 2));
  return hour >= NIGHT.from || hour < NIGHT.to ? 'night' : 'day';
}

/** As it will be then: a test may have ended. */
function sourceOf({ source, findings }: LookedAt, at: number): TonightSource {
  const isTested = ({ test, testUntil }: { test: boolean; testUntil?: number | null }) =>
    test && (testUntil == null || testUntil > at);
  const location = { ...source.location, test: isTested(source.location) };
  return { ...source, test: isTested(source), location, off: source.disabled || source.deactivated, findings };
}

/** What concerns tonight, worst first. */
function findingsShown(looked: readonly LookedAt[], at: number) {
  return looked
    .map(one => ({ ...one, stands: sourceOf(one, at) }))
    .filter(({ stands }) => !stands.off && !stands.test && !stands.location.test)
    .flatMap(one => concerning({ ...one.stands, findings: one.findings }).map(finding => ({ ...one, finding })))
    .toSorted((one, other) => worstFirst(one.finding, other.finding))
    .slice(0, MOST.findings)
    .map(({ source, finding }) => findingView(source, finding));
}

type Shown = Pick<
  MessageInitShape<typeof GetTonightResponseSchema> & object,
  'places' | 'placesInAll' | 'senders' | 'silent'
>;

function shown({ places, senders }: Tonight): Shown {
  const silent = senders.filter(({ silentSince }) => silentSince !== null);
  return {
    places: places.slice(0, MOST.places).map(place => ({
      ...place,
      lines: place.lines.slice(0, MOST.lines).map(lineView),
    })),
    placesInAll: places.length,
    senders: senders.length,
    silent: silent
      .toSorted((one, other) => one.silentSince! - other.silentSince!)
      .slice(0, MOST.silent)
      .map(({ keyId, label, silentSince }) => ({ keyId, label, since: protoTime(silentSince!) })),
  };
}

function lineView({ mode, sources, people, ...line }: TonightLine) {
  return {
    ...line,
    mode: mode ?? '',
    sources: sources.slice(0, MOST.sources).map(({ name }) => name),
    sourcesInAll: sources.length,
    people: people.slice(0, MOST.people).map(({ onDuty, ...person }) => ({
      ...person,
      duty: onDuty?.duty ?? '',
      ...(onDuty?.until == null ? {} : { dutyUntil: timestampFromMs(onDuty.until) }),
      channels: person.channels.map(({ channel, provenAt }) => ({
        channel,
        ...(provenAt === null ? {} : { provenAt: protoTime(provenAt) }),
      })),
    })),
  };
}
