import { createHash } from 'node:crypto';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Duty } from '../domain/duty.ts';
import { shiftsAround } from '../domain/duty-shifts.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { toWall } from '../process/wall-clock.ts';
import { tooManyCalls } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { invalidField, noSuch } from './errors.ts';

/** 40 characters of 36 are 206 bits: nobody guesses them. */
export const FEED_SECRET = { alphabet: 'abcdefghijklmnopqrstuvwxyz0123456789', length: 40 } as const;

/** How far a feed looks ahead, and the most shifts that it shows. */
const DAYS_MOST = 60;
const SHIFTS_MOST = 500;
const DAY_MS = 86_400_000;

/** Returns what is stored instead of the secret of a feed. It needs no pepper: nobody can guess 206 random bits. */
export function feedDigest(secret: string): Buffer {
  return createHash('sha256').update(`feed ${secret}`).digest();
}

interface FeedRow {
  accountId: string;
  id: string;
  name: string;
  duty: Duty;
  now: Date;
  people: Record<string, string> | null;
}

/**
 * A secret belongs to one duty of the whole deployment, so that this statement names no account: what it finds by the digest
 * of a secret is all that the secret opens.
 */
const feedStatement: Statement<FeedRow> = {
  name: 'duty_of_feed',
  text: `
SELECT d.account_id AS "accountId", d.id, d.name, tocsin_now() AS now,
  json_build_object('timeZone', d.time_zone, 'hours', d.hours, 'otherwise', d.otherwise, 'except', d.exceptions) AS duty,
  (SELECT json_object_agg(c.id, c.name) FROM contact c
    WHERE c.account_id = d.account_id AND c.id = ANY (d.contact_ids)) AS people
FROM duty d WHERE d.feed_digest = $1`,
};

/** What feeds are read with. */
export interface FeedOn {
  store: Pick<Store, 'pool'>;
  /** The limits of accounts: a feed is a read of its account, whoever asks. */
  limits: RateLimits;
}

/**
 * Returns what the feed with a secret shows, so many days ahead. Throws NOT_FOUND, in the same words for all that is none, and
 * RESOURCE_EXHAUSTED where the account has been read too often.
 */
export async function feedOf({ store, limits }: FeedOn, secret: string, days: number) {
  if (days < 1 || days > DAYS_MOST) throw invalidField('days', say().accepts.range(1, DAYS_MOST), days);
  const found = await dutyOfFeed(store.pool, secret);
  if (found === null) throw noSuch('duty');
  const { accountId, id, name, duty, people } = found;
  limits.learn({ of: accountId, source: null }, 'good');
  if (limits.take({ of: accountId, callClass: 'read', source: null }) === 'too_many') throw tooManyCalls();
  const now = toWall(found.now.getTime());
  const shifts = shiftsAround(duty, now, now + days * DAY_MS, SHIFTS_MOST);
  return {
    dutyId: id,
    name,
    timeZone: duty.timeZone,
    until: timestampFromMs(Math.ceil((now + days * DAY_MS) / DAY_MS) * DAY_MS),
    shifts: shifts.map(({ from, until, contacts }) => ({
      from: timestampFromMs(from),
      ...(until !== null && { until: timestampFromMs(until) }),
      names: contacts.map(contact => people?.[contact] ?? ''),
    })),
  };
}

async function dutyOfFeed(db: Connection, secret: string): Promise<FeedRow | null> {
  // The digest is looked up, and never the secret compared: how long it takes says nothing of one.
  const isOne = secret.length === FEED_SECRET.length && /^[a-z0-9]+$/.test(secret);
  const [row] = isOne ? await run(db, feedStatement, [feedDigest(secret)]) : [];
  return row ?? null;
}
