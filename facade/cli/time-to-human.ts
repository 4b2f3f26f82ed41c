import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { TimeToHuman } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { formatDuration } from './duration.ts';
import { facts } from './table.ts';

/** Formats how long it took from a call to a person, moment by moment. */
export function timeToHumanLines(moments: TimeToHuman): string[] {
  const after = (moment: Timestamp | undefined) =>
    moment === undefined || moments.acceptedAt === undefined
      ? 'not yet'
      : `after ${lasted(timestampDate(moment).getTime() - timestampDate(moments.acceptedAt).getTime())}`;
  return facts([
    ['Applied', after(moments.appliedAt)],
    ['First attempt', after(moments.firstAttemptAt)],
    ['Accepted by a carrier', after(moments.firstSentAt)],
    ['Arrived', after(moments.firstDeliveredAt)],
    ['Acknowledged by a person', after(moments.acknowledgedAt)],
  ]);
}

/** Formats milliseconds for people: `12 ms`, `3.4 s`, `5m 30s`. */
export function lasted(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms / 1000);
}
