import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Bus, subjects, tellOfCalls } from '../changes/bus.ts';
import type { Channel } from '../channels/channel.ts';
import type { WayBack } from '../domain/alert.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { carriersOf } from '../domain/reach.ts';
import { KEEP_ALL, type Kept } from '../limits/kept.ts';
import type { Seal } from '../store/seal.ts';
import { startApplying } from './apply/applying.ts';
import { engagedSources } from './apply/decided.ts';
import type { Limits } from './apply/limits.ts';
import type { StateChange, Written } from './apply/write-decided.ts';
import { type AskedDrill, createDrillStarter, type StartedDrill } from './drill.ts';
import { carrierFaults, deliveredAfter, deliveries } from './metrics.ts';
import { type DeliveryOptions, startDelivering } from './send/deliver.ts';
import { startNotifying } from './send/notify.ts';
import { type KnownTime, NO_CLOCK, type SendWorker } from './send/send-worker.ts';
import { startDrills } from './watch/drills.ts';
import { startMonitor } from './watch/monitor.ts';
import { startUnreached } from './watch/unreached.ts';

/** A carrier's report, for the metrics. `sinceFirstAttemptS` in seconds. */
interface CarrierReport {
  channel: ChannelKind;
  status: 'delivered' | 'scheduled' | 'failed' | 'cancelled';
  fault: 'temporary_fault' | 'permanent_fault' | null;
  sinceFirstAttemptS: number;
}

export interface Engine {
  /** Calls of machines were stored. */
  accepted(): void;
  /** Actions of people were stored. */
  nudge(): void;
  /** There may be something to send on this channel. */
  scheduled(channel: ChannelKind): void;
  /** There may be something to tell an owner. */
  noticed(): void;
  /** Starts a drill that asks one person for an answer. */
  startDrill(asked: AskedDrill): Promise<StartedDrill>;
  /** A carrier reported what became of a message. */
  reported(report: CarrierReport): void;
  /**
   * Returns the sources, by number, that have an open incident or a pending trigger once everything that waits is
   * applied.
   */
  engagedOf(sourceSeqs: readonly number[]): Promise<ReadonlySet<number>>;
  /** Resolves when nothing waits, no timer is due and no message is under way. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the engine: two loops that apply, one sending worker per channel, one that notifies owners, two that check
 * their results (the monitor, and one that judges again whom incidents reached), and one that plans drills. Any number of engines may run on one
 * database: each is nudged by what its own process stores and polls for the rest, and locks keep them apart
 * (apply/worker.ts).
 */
export function startEngine(deps: {
  pool: Pool;
  bus: Bus;
  channels: { byKind: Record<ChannelKind, Channel>; unconfigured: readonly ChannelKind[]; lacks?: ReadonlySet<string> };
  seal: Seal;
  links: DeliveryOptions['links'];
  /** Absent: nobody keeps it. */
  clock?: KnownTime;
  log: Logger;
  /** What accounts may make the database keep; absent: anything. */
  kept?: Kept;
  /** Alarms of these accounts were armed; called after the commit. */
  onArmed?(accountIds: readonly string[]): void;
  /** How much one transaction that applies takes; absent: as usual. */
  limits?: Limits;
}): Engine {
  const { pool, bus, seal, links, clock = NO_CLOCK, log } = deps;

  const { byKind } = deps.channels;
  const carriers = carriersOf(deps.channels);
  const notify = startNotifying({ channels: byKind, carriers, pool, seal, clock, log });
  const monitor = startMonitor({ pool, log, onNotice: notify.nudge });
  const workers = new Map<ChannelKind, SendWorker>();
  const { text } = byKind;
  const textReplies = (wayBack: WayBack | null) =>
    wayBack === null || !carriers.includes('text') ? 'lost' : (text.answers?.(wayBack.carrierUrl) ?? 'come_back');
  const scheduled = (channel: ChannelKind, dueAt?: number) => workers.get(channel)?.nudge(dueAt);
  const unreached = startUnreached({ pool, log, onScheduled: scheduled, onNotice: notify.nudge });
  for (const channel of Object.values(byKind)) {
    workers.set(
      channel.kind,
      startDelivering({
        channel,
        pool,
        seal,
        links,
        clock,
        log,
        carriers,
        textReplies,
        onScheduled: scheduled,
        onNotice: notify.nudge,
      }),
    );
  }

  const onApplied = ({ changed, seen, scheduled: found, notices, applied }: Written) => {
    for (const change of changed) announce(bus, change);
    tellOfCalls(bus, seen);
    for (const { channel, dueAt } of found) scheduled(channel, dueAt);
    if (notices === 'some') notify.nudge();
    if (applied.some(({ outcome }) => outcome === 'armed')) deps.onArmed?.(changed.map(({ accountId }) => accountId));
  };
  const { limits, kept = KEEP_ALL } = deps;
  const applying = startApplying({ pool, log, carriers, kept, onApplied, ...(limits && { limits }) });

  const drills = startDrills({ pool, carriers, kept, log, onOpened: onApplied, onNotice: notify.nudge });

  return {
    accepted: applying.nudgeJournal,
    nudge: applying.nudgeQueue,
    scheduled,
    noticed: notify.nudge,
    startDrill: createDrillStarter({ pool, carriers, kept, log, onOpened: onApplied }),
    reported({ channel, status, fault, sinceFirstAttemptS }) {
      deliveries.inc({ channel, status });
      if (fault !== null) carrierFaults.inc({ channel, kind: fault });
      if (status === 'delivered') deliveredAfter.observe({ channel }, Math.max(0, sinceFirstAttemptS));
    },
    engagedOf: seqs => engagedSources(pool, seqs),
    async drain() {
      await applying.drain();
      await drills.drain();
      // A message that fails on one channel switches to another, so repeat until no worker had anything to do.
      let drained: ('worked' | 'idle')[];
      do drained = await Promise.all([...workers.values()].map(worker => worker.drain()));
      while (drained.includes('worked'));
      await monitor.drain();
      await notify.drain();
    },
    async close() {
      await applying.close();
      // Together: each allows the same grace period for what it is sending, and the process has no more than that.
      await Promise.all([
        ...[...workers.values()].map(worker => worker.close()),
        monitor.close(),
        unreached.close(),
        drills.close(),
        notify.close(),
      ]);
    },
  };
}

/** After the commit, so that whoever reads on this signal sees the change. */
function announce(bus: Bus, { accountId, sourceId }: StateChange): void {
  bus.publish(subjects.change(accountId), { kind: 'state', alarmId: sourceId });
}
