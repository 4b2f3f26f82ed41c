import { Counter, Gauge, Histogram } from 'prom-client';
import { type AttemptOutcome, CHANNELS, type DeliveryStatus } from '../domain/delivery.ts';
import type { CeilingVerdict } from '../domain/spend.ts';
import { WATCH_FAULTS } from '../domain/watch.ts';

/* What the engine counts, in the default registry beside facade/metrics.ts. No label contains an id. */

export const deliveryLateness = new Histogram({
  name: 'tocsin_delivery_lateness_seconds',
  help: 'From when an alert was to go out to its first attempt; without those put off by a throttle.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
});

export const oldestDue = new Gauge({
  name: 'tocsin_delivery_oldest_due_seconds',
  help: 'How long the oldest message that waits to be sent is due; without those that failed twice; 0: none is.',
});

export const stepsLate = new Counter({
  name: 'tocsin_steps_late_total',
  help: 'Steps of live escalations of which the first message went out more than 5 s late.',
});

export const stepsMissed = new Counter({
  name: 'tocsin_steps_missed_total',
  help: 'Steps of live escalations of which nothing was tried 5 s after their time, or ever.',
});

export const callsApplied = new Counter({
  name: 'tocsin_calls_applied_total',
  help: 'Calls and actions of people that were applied, by outcome.',
  labelNames: ['outcome'],
});

export const applyWait = new Histogram({
  name: 'tocsin_apply_wait_seconds',
  help: 'From when a call was accepted until it was applied.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
});

export const windowLateness = new Histogram({
  name: 'tocsin_window_lateness_seconds',
  help: 'From when the window before an alert ended until its incident was opened.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
});

export const firstAttempt = new Histogram({
  name: 'tocsin_first_attempt_seconds',
  help: 'From when an incident opened (its call was accepted, or its window ended) until the first step tried a message; without what goes in place of one that failed.',
  labelNames: ['channel'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
});

export const sendTime = new Histogram({
  name: 'tocsin_send_seconds',
  help: 'How long carriers took to answer an attempt, by channel.',
  labelNames: ['channel'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

export const deliveries = new Counter({
  name: 'tocsin_deliveries_total',
  help: 'What became of messages, by channel and status; a message is counted again when its carrier reports on it.',
  labelNames: ['channel', 'status'],
});

export const deliveredAfter = new Histogram({
  name: 'tocsin_delivered_seconds',
  help: 'From the first attempt of a message until its carrier said that it arrived, by channel.',
  labelNames: ['channel'],
  buckets: [0.1, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
});

export const carrierFaults = new Counter({
  name: 'tocsin_carrier_faults_total',
  help: 'Attempts that a carrier failed or refused, at once or in a report afterwards, by channel: temporary_fault (tried again) or permanent_fault.',
  labelNames: ['channel', 'kind'],
});

export const stoodBy = new Counter({
  name: 'tocsin_carrier_stood_by_total',
  help: 'Messages that a carrier did not take, so that the next one was asked, by channel.',
  labelNames: ['channel'],
});

export const unappliedCalls = new Gauge({
  name: 'tocsin_unapplied_calls',
  help: 'How many accepted calls are not applied yet; at most 10000 of the queue and 1000 groups of the journal are counted.',
});

export const dueMessages = new Gauge({
  name: 'tocsin_delivery_due',
  help: 'How many messages are due and wait to be sent, by channel; at most 10000 are counted.',
  labelNames: ['channel'],
});

export const noticesSent = new Counter({
  name: 'tocsin_notices_total',
  help: 'Attempts to tell an owner something, by what it is and what became of it.',
  labelNames: ['kind', 'status'],
});

export const stoppedByCeiling = new Counter({
  name: 'tocsin_spend_ceiling_total',
  help: 'Texts and calls of live incidents that were stopped: by over_ceiling (of an account) or by over_source_share.',
  labelNames: ['by'],
});

export const callsGivenUp = new Counter({
  name: 'tocsin_calls_given_up_total',
  help: 'Accepted calls that could not be applied for ten minutes, for a reason of their own.',
});

export const rowsRemoved = new Counter({
  name: 'tocsin_rows_removed_total',
  help: 'Rows that were removed because they were kept for long enough: of calls, incidents, audit or counts of a day.',
  labelNames: ['of'],
});

export const oldestUnapplied = new Gauge({
  name: 'tocsin_oldest_unapplied_seconds',
  help: 'How long ago the oldest call was accepted that is not applied yet; 0: none waits.',
});

export const oldestSnapshot = new Gauge({
  name: 'tocsin_oldest_snapshot_seconds',
  help: 'For how long the oldest snapshot is held that keeps Postgres from cleaning up; 0: none is, NaN: not readable.',
});

export const deadRows = new Gauge({
  name: 'tocsin_dead_rows',
  help: 'Deleted and replaced rows of the tables of the engine that Postgres has not cleaned up yet.',
  labelNames: ['table'],
});

export const clockAhead = new Gauge({
  name: 'tocsin_clock_ahead_seconds',
  help: "By how much the deployment's time is ahead of the database's clock: 0 unless that was set while something ran.",
});

export const clockSteps = new Counter({
  name: 'tocsin_clock_steps_total',
  help: "How often the database's clock was set by 2 s or more, and in which direction.",
  labelNames: ['direction'],
});

export const watchTime = new Histogram({
  name: 'tocsin_watch_seconds',
  help: "How long the watchman's tries took, by what was tried: beat (an empty group through accepting and applying) or dry_life (an alarm's whole life, rolled back).",
  labelNames: ['of'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

export const sendersSilent = new Gauge({
  name: 'tocsin_senders_silent',
  help: 'How many supervised keys of all accounts are silent, as of the last look of this process, at most a minute ago.',
});

export const watchFaults = new Gauge({
  name: 'tocsin_watch_faults',
  help: 'What the watchman found at fault when it last looked, in whichever process: 1, else 0.',
  labelNames: ['fault'],
});

export const heartbeats = new Counter({
  name: 'tocsin_heartbeats_total',
  help: 'Calls of HEARTBEAT_URL, by what they said (well or fail) and what became of them: taken or lost.',
  labelNames: ['said', 'became'],
});

/*
 * What alerts and the dashboard go by is there from the start, at 0 (facade/docs/run/alerts.yml): Prometheus sees no increase in
 * a series that begins with its first count.
 */
const FAULTS = ['temporary_fault', 'permanent_fault'] as const satisfies readonly AttemptOutcome['kind'][];
const OVER = ['over_ceiling', 'over_source_share'] as const satisfies readonly CeilingVerdict[];
const BECAME = ['sent', 'delivered', 'failed'] as const satisfies readonly DeliveryStatus[];
for (const channel of CHANNELS) {
  sendTime.zero({ channel });
  firstAttempt.zero({ channel });
  stoodBy.inc({ channel }, 0);
  for (const status of BECAME) deliveries.inc({ channel, status }, 0);
  for (const kind of FAULTS) carrierFaults.inc({ channel, kind }, 0);
}
for (const direction of ['back', 'forward']) clockSteps.inc({ direction }, 0);
for (const by of OVER) stoppedByCeiling.inc({ by }, 0);
for (const tried of ['beat', 'dry_life']) watchTime.zero({ of: tried });
for (const fault of WATCH_FAULTS) watchFaults.set({ fault }, 0);
for (const became of ['taken', 'lost']) for (const said of ['well', 'fail']) heartbeats.inc({ said, became }, 0);
