import { Counter, Gauge, Histogram } from 'prom-client';

/* What the engine counts, in the default registry beside facade/metrics.ts. No label holds an id. */

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
