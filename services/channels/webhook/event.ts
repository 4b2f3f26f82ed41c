import type { Alert, IncidentAlert } from '../../domain/alert.ts';
import { ADDRESS_LENGTH, clean, cleanLines, NAME_LENGTH } from '../../process/text.ts';
import { trippedOf } from '../../words/names.ts';
import { writeMessage } from '../message.ts';

/**
 * Writes a message as the JSON of a webhook. Names are one line of at most 80 characters, times ISO 8601 in UTC.
 *
 * Always: `id` (32 characters, the same at every attempt), `type` (`alert`, `acknowledged`, `still_happening`, `drill`,
 * `verification` or `notice`), `contact` (the recipient), `subject` and `text` (what a mail would say, in the contact's
 * language). Of an incident: `incidentId`, `environment` (`live`, `test`), `source` {`kind` (`alarm`, `panic_button`),
 * `name`, `response` (`medical`, `fire`, `intruder`, `duress`, `other` or null), `responseText` (of `other`, else
 * null)}, `mode` (display name or null), `location` {`name`, `address`}, `openedAt`, `step`, `steps`, `round`, `rounds`
 * (counted from 1), `triggerCount`, `lastTriggerAt`, `trippedBy` (labels of the API keys that tripped it: that of the trigger that
 * opened it, then the last three others that joined it; empty: no device did),
 * `silentSince` (since when nothing was heard of the first of them, where its silence alone opened it; else null), `moreBefore` (incidents of the same alarm within ten minutes
 * before that this contact was not told about here), `acknowledgedBy` (null: nobody), `pageUrl` (null: this deployment
 * has no public address), `replyCode`. Of the others: `at`; of a verification also `code` and `account`.
 */
export function writeEvent(alert: Alert): string {
  const { subject, text } = writeMessage(alert);
  return JSON.stringify({
    id: alert.deliveryId,
    type: alert.purpose,
    contact: clean(alert.contactName, NAME_LENGTH),
    subject,
    text,
    ...factsOf(alert),
  });
}

function factsOf(alert: Alert): Record<string, unknown> {
  switch (alert.purpose) {
    case 'verification':
      return { at: iso(alert.at), code: alert.code, account: clean(alert.accountName, NAME_LENGTH) };
    case 'drill':
    case 'notice':
      return { at: iso(alert.at) };
    default:
      return incidentFacts(alert);
  }
}

function incidentFacts(alert: IncidentAlert): Record<string, unknown> {
  const { incidentId, environment, step, steps, round, rounds, triggerCount, moreBefore, replyCode } = alert;
  return {
    incidentId,
    environment,
    source: {
      kind: alert.sourceKind,
      name: clean(alert.sourceName, NAME_LENGTH),
      response: alert.responseKind,
      responseText: clean(alert.responseText ?? '', NAME_LENGTH) || null,
    },
    mode: alert.modeName === null ? null : clean(alert.modeName, NAME_LENGTH),
    location: {
      name: clean(alert.locationName, NAME_LENGTH),
      address: cleanLines(alert.locationAddress, ADDRESS_LENGTH),
    },
    openedAt: iso(alert.openedAt),
    step,
    steps,
    round,
    rounds,
    triggerCount,
    lastTriggerAt: iso(alert.lastTriggerAt),
    trippedBy: trippedOf(alert, NAME_LENGTH),
    silentSince: alert.silentSince === null ? null : iso(alert.silentSince),
    moreBefore,
    acknowledgedBy: clean(alert.acknowledgedBy, NAME_LENGTH) || null,
    pageUrl: alert.wayBack?.pageUrl ?? null,
    replyCode,
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
