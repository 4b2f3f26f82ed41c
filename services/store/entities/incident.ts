import { defineEntity, p } from '@mikro-orm/core';
import type { DeliveryKind, IncidentCopy } from '../../domain/alert.ts';
import type { ChannelKind, DeliveryStatus } from '../../domain/delivery.ts';
import type {
  CloseReason,
  Disposition,
  IncidentEntry as EntryOfDomain,
  Incident as IncidentOfDomain,
  Via,
} from '../../domain/incident.ts';
import type { ModeId } from '../../domain/mode.ts';
import type { Environment } from '../../domain/source.ts';
import type { CarrierTry } from '../../domain/standing-by.ts';
import type { TrippedKeys, TrippedLabels } from '../../domain/tripped.ts';
import type { Columns } from '../columns.ts';

/** The columns of an incident as the rules see it, for the engine's statements. */
export const INCIDENT: Columns<IncidentOfDomain> = {
  id: 'text',
  mode: 'text',
  environment: 'text',
  openedAt: 'time',
  windowEndedAt: 'time',
  outcome: 'text',
  escalationEndsAt: 'time',
  acknowledgedAt: 'time',
  acknowledgedBy: 'text',
  acknowledgedVia: 'text',
  acknowledgedContactId: 'text',
  closedAt: 'time',
  closeReason: 'text',
  triggerCount: 'int',
  lastTriggerAt: 'time',
  trippedKeys: 'jsonb',
  silentSince: 'time',
  traceId: 'uuid',
  handedOver: 'int',
  handedTo: 'text',
  askAgainAfterS: 'int',
  askedAgain: 'int',
  asksAgainAt: 'time',
};

/** An incident. The engine reads and writes it with statements of its own; this entity is for showing it. */
export const Incident = defineEntity({
  name: 'Incident',
  tableName: 'incident',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    sourceId: p.text(),
    locationId: p.text(),
    mode: p.text().$type<ModeId>().nullable(),
    environment: p.text().$type<Environment>(),
    status: p.text().$type<'open' | 'closed'>(),
    outcome: p.text().$type<IncidentOfDomain['outcome']>(),
    openedAt: p.datetime(),
    windowEndedAt: p.datetime().nullable(),
    escalationEndsAt: p.datetime(),
    autoCloseAt: p.datetime(),
    acknowledgedAt: p.datetime().nullable(),
    acknowledgedBy: p.text().nullable(),
    acknowledgedVia: p.text().$type<Via>().nullable(),
    acknowledgedContactId: p.text().nullable(),
    closedAt: p.datetime().nullable(),
    closeReason: p.text().$type<CloseReason>().nullable(),
    /** What it was, as a person says; null: nobody said. Written by incident/statements/disposition.ts alone. */
    disposition: p.text().$type<Disposition>().nullable(),
    triggerCount: p.integer(),
    lastTriggerAt: p.datetime(),
    trippedKeys: p.json<TrippedKeys>(),
    trippedLabels: p.json<TrippedLabels>(),
    silentSince: p.datetime().nullable(),
    traceId: p.uuid(),
    replyCode: p.text(),
    /** Since when nobody was reached by what was sent so far. Written by the sending workers. */
    unreachedAt: p.datetime().nullable(),
    appliedAt: p.datetime(),
    copy: p.json<IncidentCopy>(),
  },
});

/** A timeline entry of an incident that is neither a call nor a delivery. */
export const IncidentEntry = defineEntity({
  name: 'IncidentEntry',
  tableName: 'incident_entry',
  properties: {
    accountId: p.text().primary(),
    id: p.bigint('string').primary(),
    incidentId: p.text(),
    at: p.datetime(),
    kind: p
      .text()
      .$type<EntryOfDomain['kind'] | 'disposition' | 'step_late' | 'step_missed' | 'step_brought_forward'>(),
    detail: p.text(),
    /** The person who did it; empty: nobody, or `detail` says who. */
    by: p.text().default(''),
    /** For `step_late`, `step_missed` and `step_brought_forward`: round and step of the policy, counted from 0. */
    round: p.integer().nullable(),
    step: p.integer().nullable(),
  },
});

/** One message to one person over one channel, with all its progress. */
export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    incidentId: p.text(),
    kind: p.text().$type<DeliveryKind>(),
    round: p.integer(),
    step: p.integer(),
    contactId: p.text(),
    channel: p.text().$type<ChannelKind>(),
    status: p.text().$type<DeliveryStatus>(),
    reason: p.text().nullable(),
    /** The channel in whose place it goes; null: the step names it. */
    insteadOf: p.text().$type<ChannelKind>().nullable(),
    /** By which carrier it went last; null: by none. */
    carrier: p.text().nullable(),
    /** The carriers that did not take it, so that the next one was asked. */
    carrierTries: p.json<CarrierTry[]>().nullable(),
    dueAt: p.datetime(),
    /** When it was first due; retries and throttling move only dueAt. */
    plannedAt: p.datetime(),
    /** When it was planned before its step was brought forward. */
    movedFrom: p.datetime().nullable(),
    /** Counts the attempts made. */
    tries: p.integer().default(0),
    firstAttemptAt: p.datetime().nullable(),
    providerRef: p.text().nullable(),
    message: p.text().nullable(),
    sentAt: p.datetime().nullable(),
    deliveredAt: p.datetime().nullable(),
  },
});
