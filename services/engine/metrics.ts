import { Counter, Gauge, Histogram } from 'prom-client';

/* What the engine counts, in the default registry beside facade/metrics.ts. No label contains an id. */

export const deliveryLateness = new Histogram({
  name: 'tocsin_delivery_lateness_seconds',
  help: 'From when an alert was to go out to its first attempt; without those put off by a throttle.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
});

export const oldestDue = new Gauge({
  name: 'tocsin_delivery_oldest_due_seconds',
  help: 'How long the oldest message that waits to be sent is due; 0: none is.',
});

export const stepsLate = new Counter({
  name: 'tocsin_steps_late_total',
  help: 'Steps of live escalations of which the first message went out more than 5 s late.',
});

export const stepsMissed = new Counter({
  name: 'tocsin_steps_missed_total',
  help: 'Steps of live escalations of which nothing was tried 5 s after their time, or ever.',
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
