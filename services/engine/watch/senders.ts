import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { effectiveMode } from '../../domain/mode.ts';
import type { NoticeAbout } from '../../domain/notice.ts';
import {
  ACCEPTING_FOR_MS,
  concernsOperator,
  type DeploymentSilence,
  judgeSenders,
  type Supervised,
  type SupervisionNotice,
  silenceInAll,
  type WatchedKey,
} from '../../domain/supervision.ts';
import { newId } from '../../store/id.ts';
import { inTransaction } from '../../store/statement.ts';
import { enqueueOwnActions, type OwnAction } from '../../store/statements/queue.ts';
import { type NoticeWrite, noWrites, writeAll } from '../../store/statements/write.ts';
import { type LookAgain, type Loop, startLoop } from '../loop.ts';
import { sendersSilent } from '../metrics.ts';
import type { Accepting } from './accepting.ts';
import {
  type Looked,
  lockSenders,
  readAlarmsOf,
  readSenders,
  type SilentSender,
  writeSilences,
} from './statements/senders.ts';

/** The longest and the shortest wait between two looks, in milliseconds. */
const EVERY_MS = 60_000;
const SOONEST_MS = 10_000;

/** How long to wait while another process looks, in milliseconds. */
const BUSY_MS = 1_000;

/** How long armed alarms are collected before they are looked at together, in milliseconds. */
const ARMED_MS = 2_000;

/** How long what concerns the operator is told to them, in milliseconds. */
const OPERATOR_MS = 600_000;

/** How long a process waits with its first look, in milliseconds: until then one that died may count as accepting. */
const FIRST_MS = ACCEPTING_FOR_MS + 5_000;

/** How many keys and how many armed things a notice names; it counts all. */
const NAMED_MOST = 20;

export interface Senders extends Pick<Loop, 'drain' | 'close'> {
  /** Something of these accounts was armed: looks soon at their keys. */
  armed(accountIds: readonly string[]): void;
  /** `silent`: so many fell silent at once lately that the line or this server has to be the cause. */
  state(): 'heard' | 'silent';
}

/**
 * Looks which supervised keys have fallen silent, and tells their owners (DECISIONS.md "Supervised senders"). Starts with
 * the process; of several processes one looks at a time.
 */
export function startSenders(on: {
  pool: Pool;
  log: Logger;
  accepting: Pick<Accepting, 'mark'>;
  onNotice(): void;
  /** Silent keys have triggered their alarms. */
  onAlert(): void;
}): Senders {
  const { pool, log } = on;
  let togetherUntil = Number.NEGATIVE_INFINITY;
  /** The accounts in which something was armed, and whether the next look is at these alone. */
  const armed = new Set<string>();
  let next: 'armed' | 'all' = 'all';
  /** When all are looked at again, by this process's clock. */
  let allAt = Number.NEGATIVE_INFINITY;
  let soon: NodeJS.Timeout | undefined;

  async function look(): Promise<LookAgain> {
    const which = next;
    next = 'all';
    const { since, now } = await on.accepting.mark();
    if (now - since < FIRST_MS) return { inMs: FIRST_MS - (now - since) };
    return which === 'armed' && performance.now() < allAt ? lookAtArmed() : lookAtAll();
  }

  async function lookAtAll(): Promise<LookAgain> {
    const looked = await inTransaction(pool, client => judge(client, 'all'));
    if (looked === null) return { inMs: BUSY_MS };
    sendersSilent.set(looked.silent);
    tellOperator(looked.inAll);
    tell(looked);
    const inMs = Math.min(EVERY_MS, Math.max(SOONEST_MS, looked.nextInMs));
    allAt = performance.now() + inMs;
    return { inMs };
  }

  /** Most accounts have no supervised key: whoever arms costs a look at their own. */
  async function lookAtArmed(): Promise<LookAgain> {
    const of = [...armed];
    const looked = of.length === 0 ? 'nobody' : await inTransaction(pool, client => judge(client, of));
    if (looked === null) {
      next = 'armed';
      return { inMs: BUSY_MS };
    }
    for (const accountId of of) armed.delete(accountId);
    if (looked !== 'nobody') tell(looked);
    return { inMs: Math.max(0, allAt - performance.now()) };
  }

  function tell({ notices, alerts }: Judged): void {
    if (notices > 0) on.onNotice();
    if (alerts > 0) on.onAlert();
  }

  function tellOperator(inAll: DeploymentSilence): void {
    if (!concernsOperator(inAll)) return;
    if (performance.now() > togetherUntil) {
      log.error(inAll, 'many senders of several accounts fell silent at once: check the line and this server');
    }
    togetherUntil = performance.now() + OPERATOR_MS;
  }

  const loop = startLoop('senders', look, log, EVERY_MS);

  return {
    armed(accountIds) {
      for (const accountId of accountIds) armed.add(accountId);
      soon ??= setTimeout(() => {
        soon = undefined;
        next = 'armed';
        loop.nudge();
      }, ARMED_MS);
    },
    drain: loop.drain,
    close() {
      clearTimeout(soon);
      return loop.close();
    },
    state: () => (performance.now() < togetherUntil ? 'silent' : 'heard'),
  };
}

/** What came of a look. `silent`: how many keys are; `nextInMs`: when the next one has to be judged. */
interface Judged {
  inAll: DeploymentSilence;
  silent: number;
  notices: number;
  alerts: number;
  nextInMs: number;
}

/**
 * Judges the keys of these accounts, and stores what follows with what became of them: a silence alerts once, whoever dies
 * when. Returns null where another process is looking.
 */
async function judge(client: PoolClient, of: Looked): Promise<Judged | null> {
  if (!(await lockSenders(client))) return null;
  const seen = await readSenders(client, of);
  const { now } = seen;
  const inAll = silenceInAll(seen.accounts, seen);
  const others = of !== 'all' ? 'not_known' : concernsOperator(inAll) ? 'silent' : 'heard';
  const judged = seen.accounts.map(account => ({ ...account, ...judgeSenders({ ...seen, ...account, others }) }));
  await writeSilences(
    client,
    judged.flatMap(({ accountId, changed }) => changed.map(key => ({ accountId, ...key }))),
  );
  const notices = judged.flatMap(account => noticesOf(account, now));
  await writeAll(client, { ...noWrites(), notices });
  const alerts = judged.flatMap(({ accountId, alerts }) => alerts.map(alert => ({ accountId, ...alert })));
  await enqueueOwnActions(client, await triggersOf(client, alerts));
  const times = [seen.nextAt, ...judged.map(({ alertAt }) => alertAt)].filter(at => at !== null);
  return {
    inAll,
    silent: judged.reduce((all, account) => all + silentIn(account), 0),
    notices: notices.length,
    alerts: alerts.length,
    nextInMs: Math.min(...times) - now,
  };
}

/** What was just found silent counts too. */
function silentIn({ keys, changed }: Supervised & { keys: readonly WatchedKey[] }): number {
  const now = new Map(changed.map(key => [key.keyId, key.silentSince]));
  const silentSince = keys.map(key => now.get(key.keyId) ?? (now.has(key.keyId) ? null : key.silentSince));
  return silentSince.filter(since => since !== null).length;
}

/** Returns the triggers of alarms that are armed and live still, after all calls accepted so far. */
async function triggersOf(client: PoolClient, alerts: readonly SilentSender[]): Promise<OwnAction[]> {
  const alarms = await readAlarmsOf(client, alerts);
  return alarms.flatMap(({ accountId, sourceId, keyId, silentSince, armedMode, modes }) => {
    const mode = effectiveMode(
      null,
      armedMode,
      modes.map(({ id }) => id),
    );
    const found = modes.find(({ id }) => id === mode);
    if (found === undefined) return [];
    const { windowS } = found;
    // The gate holds it if a disarm that was accepted before is only applied now.
    const trigger = { verb: 'trigger', mode, windowS, onlyWhenArmed: true, incidentId: null, actor: null } as const;
    return [{ accountId, sourceId, keyId, silentSince, traceId: randomUUID(), ...trigger }];
  });
}

function noticesOf({ accountId, notices }: Supervised & { accountId: string }, now: number): NoticeWrite[] {
  return notices.map(notice => ({
    accountId,
    id: newId(),
    kind: notice.kind,
    // The first key stands for all of a notice: an index holds no more than 2,704 bytes of it.
    once: notice.kind === 'sender_back' ? notice.of[0]! : `${notice.of[0]} ${now}`,
    incidentId: null,
    about: aboutOf(notice),
    at: now,
  }));
}

function aboutOf(notice: SupervisionNotice): NoticeAbout {
  const keys = { names: someOf(notice.keys), keys: notice.keys.length };
  switch (notice.kind) {
    case 'blind': {
      const { armed, silentMs, times, follows } = notice;
      return { ...keys, armed: someOf(armed), silentS: inS(silentMs), times, follows };
    }
    case 'blind_together': {
      const { cause, armed, supervised } = notice;
      return { ...keys, armed: someOf(armed), cause, supervised };
    }
    case 'sender_back':
      return { ...keys, silentS: inS(notice.gapMs), stillSilent: notice.stillSilent };
  }
}

function someOf(names: readonly string[]): string {
  return names.slice(0, NAMED_MOST).join(', ');
}

function inS(ms: number): number {
  return Math.round(ms / 1_000);
}
