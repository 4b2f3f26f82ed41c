import { defineEntity, p } from '@mikro-orm/core';
import type { ChannelKind, DeliveryStatus } from '../domain/delivery.ts';
import type { PolicyCopy } from '../domain/escalation.ts';
import type { CloseReason, IncidentEntry as EntryOfDomain, Incident as IncidentOfDomain } from '../domain/incident.ts';
import type { ModeId } from '../domain/mode.ts';
import type { Environment, ResponseKind, SourceKind } from '../domain/source.ts';

/** What an incident shows to those alerted, as it was when it opened. Addresses of contacts are sealed (seal.ts). */
export interface IncidentCopy {
  sourceKind: SourceKind;
  sourceName: string;
  responseKind: ResponseKind | null;
  modeName: string | null;
  locationName: string;
  locationAddress: string;
  policy: PolicyCopy | null;
}

/** An incident. Written by the engine's statements, read through here. */
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
    closedAt: p.datetime().nullable(),
    closeReason: p.text().$type<CloseReason>().nullable(),
    triggerCount: p.integer(),
    lastTriggerAt: p.datetime(),
    traceId: p.uuid(),
    copy: p.json<IncidentCopy>(),
  },
});

/** A line of an incident's timeline that is neither a call nor a delivery. */
export const IncidentEntry = defineEntity({
  name: 'IncidentEntry',
  tableName: 'incident_entry',
  properties: {
    accountId: p.text().primary(),
    id: p.bigint('string').primary(),
    incidentId: p.text(),
    at: p.datetime(),
    kind: p.text().$type<EntryOfDomain['kind']>(),
    detail: p.text(),
  },
});

/** One message to one person over one channel, with everything that became of it. */
export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    incidentId: p.text(),
    kind: p.text().$type<'alert' | 'taken' | 'still_happening'>(),
    round: p.integer(),
    step: p.integer(),
    contactId: p.text(),
    channel: p.text().$type<ChannelKind>(),
    status: p.text().$type<DeliveryStatus>(),
    reason: p.text().nullable(),
    dueAt: p.datetime(),
    attempt: p.integer().default(0),
    leaseUntil: p.datetime().nullable(),
    providerRef: p.text().nullable(),
    message: p.text().nullable(),
    sentAt: p.datetime().nullable(),
    deliveredAt: p.datetime().nullable(),
  },
});
