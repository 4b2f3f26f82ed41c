import type { IncidentCopy } from '../../domain/alert.ts';
import type { Incident } from '../../domain/incident.ts';
import { FLAPPING, PANIC } from '../../domain/throttle.ts';
import type { TrippedLabels } from '../../domain/tripped.ts';
import { type Columns, fieldsOf, nested } from '../columns.ts';
import { INCIDENT } from '../entities/incident.ts';

/** The live incidents of the source of `i` that opened shortly before it, newest first. */
function shortlyBefore(i: string): string {
  return `SELECT p.id FROM incident p WHERE p.account_id || p.source_id = d.account_id || ${i}.source_id
    AND p.environment = 'live' AND p.opened_at < ${i}.opened_at
    AND p.opened_at > ${i}.opened_at - make_interval(secs => ${FLAPPING.withinS}) ORDER BY p.opened_at DESC`;
}

/** Whether incident `i` is an alarm's, and not a panic button's. */
export function isAlarm(i: string): string {
  return `${i}.copy->>'sourceKind' = 'alarm'`;
}

/** Whether message `o` is about a panic button. The copy of an incident may be large, its source is not. */
export function ofPanicButton(o: string): string {
  return `EXISTS (SELECT FROM incident p JOIN source s ON s.account_id = p.account_id AND s.id = p.source_id
    WHERE p.account_id = ${o}.account_id AND p.id = ${o}.incident_id AND s.kind <> 'alarm')`;
}

/**
 * Whether incident `i` of delivery `d` is one of many that its alarm opens (domain/throttle.ts). Each press of a panic button is
 * deliberate, so it never flaps.
 */
export function flaps(i: string): string {
  return `(${isAlarm(i)} AND ${isAfter(i, FLAPPING.from - 1)})`;
}

/** Whether so many other incidents of the source of `i` opened shortly before it. */
function isAfter(i: string, others: number): string {
  return `EXISTS (${shortlyBefore(i)} OFFSET ${others - 1} LIMIT 1)`;
}

/** How many of those the contact of delivery `d` was not told about over its channel; counts up to a hundred. */
function moreBefore(i: string): string {
  return `CASE WHEN ${flaps(i)} OR (NOT ${isAlarm(i)} AND ${isAfter(i, PANIC.most)}) THEN (
    SELECT count(*)::int FROM (${shortlyBefore(i)} LIMIT 100) p WHERE NOT EXISTS (
      SELECT FROM delivery o WHERE o.account_id = d.account_id AND o.incident_id = p.id AND o.contact_id = d.contact_id
        AND o.channel = d.channel AND o.sent_at IS NOT NULL)
  ) ELSE 0 END`;
}

/** An incident with what messages say about it (domain/alert.ts `alertOf`). */
export interface AlertedIncident extends Incident {
  sourceId: string;
  replyCode: string;
  /** Since when it is known to have reached nobody, milliseconds since 1970; null if that is not known. */
  unreachedAt: number | null;
  trippedLabels: TrippedLabels;
  moreBefore: number;
  copy: IncidentCopy;
}

const ALERTED: Columns<Omit<AlertedIncident, 'moreBefore' | 'copy'>> = {
  ...INCIDENT,
  sourceId: 'text',
  replyCode: 'text',
  unreachedAt: 'time',
  trippedLabels: 'jsonb',
};

/** Returns the fields of incident `i` of delivery `d` for a SELECT; `copy` is the expression for its copy. */
export function alertedFields(copy = 'i.copy'): string {
  return `${fieldsOf(ALERTED, 'i', 'incident.')}, ${moreBefore('i')} AS "incident.moreBefore", ${copy} AS "incident.copy"`;
}

/** Moves these fields into `incident` of a row. */
export const withAlerted = nested('incident', [...Object.keys(ALERTED), 'moreBefore', 'copy']);
