import {
  type Call,
  type History,
  type Incident,
  type Logged,
  type Message,
  NOTHING,
  type Received,
} from '../history.ts';

/* Histories that never happened, to show that the checker sees what it should. */

const ALARM = {
  id: 'alarm',
  accountId: 'house',
  environment: 'live' as const,
  windowsMs: { away: 10_000 },
  stepsMs: { away: [0, 60_000] },
  addresses: ['ann@house.example', 'bob@house.example'],
};

const BUTTON = { ...ALARM, id: 'button', windowsMs: { '': 0 }, stepsMs: { '': [0] } };

const SHOP = {
  ...ALARM,
  id: 'shop',
  accountId: 'other',
  environment: 'test' as const,
  windowsMs: { away: 0 },
  stepsMs: { away: [0] },
  addresses: ['sue@shop.example'],
};

function call(traceId: string, action: string, began: number, more: Partial<Call> = {}): Call {
  const answered = began + 20;
  return { accountId: 'house', sourceId: 'alarm', action, traceId, began, answered, status: 202, ...more };
}

function logged(id: number, traceId: string, at: number, outcome: string, more: Partial<Logged> = {}): Logged {
  return {
    id: BigInt(id),
    accountId: 'house',
    sourceId: 'alarm',
    traceId,
    environment: 'live',
    at,
    appliedAt: at + 5,
    outcome,
    incidentId: null,
    ...more,
  };
}

function incident(
  id: string,
  sourceId: string,
  openedAt: number,
  traceId: string,
  more: Partial<Incident> = {},
): Incident {
  return {
    id,
    accountId: 'house',
    sourceId,
    mode: 'away',
    environment: 'live',
    status: 'open',
    openedAt,
    appliedAt: openedAt + 10,
    acknowledgedAt: null,
    closedAt: null,
    triggerCount: 1,
    traceId,
    ...more,
  };
}

function message(id: string, incidentId: string, plannedAt: number, more: Partial<Message> = {}): Message {
  return {
    id,
    accountId: 'house',
    incidentId,
    kind: 'alert',
    round: 0,
    step: 0,
    contactId: 'ann',
    channel: 'email',
    status: 'sent',
    insteadOf: null,
    plannedAt,
    movedFrom: null,
    dueAt: plannedAt,
    firstAttemptAt: plannedAt + 50,
    ...more,
  };
}

function received(messageId: string, at: number, address = 'ann@house.example'): Received {
  return { messageId, at, address };
}

/**
 * One in which all is well: an alarm behind a window with two steps, a trigger that joins, a panic button that is pressed
 * while a process is dead and told of twice, a source in test, a call that was refused and one nobody knows of.
 */
export const CLEAN: History = {
  ...NOTHING,
  calls: [
    call('armed', 'arm/away', 1_000),
    call('fired', 'trigger', 2_000),
    call('joined', 'trigger', 3_000),
    call('refused', 'trigger', 3_500, { status: 404 }),
    call('unknown', 'trigger', 3_600, { status: 'unknown', traceId: null }),
    call('pressed', 'trigger', 30_000, { sourceId: 'button', named: ['button', 'alarm'] }),
    call('quiet', 'trigger', 40_000, { sourceId: 'shop', accountId: 'other' }),
  ],
  logged: [
    logged(1, 'armed', 1_010, 'armed'),
    logged(2, 'fired', 2_010, 'opened', { incidentId: 'fire' }),
    logged(3, 'joined', 3_010, 'folded', { incidentId: 'fire' }),
    logged(4, 'refused', 3_510, 'not_armed', { appliedAt: null }),
    logged(5, 'pressed', 30_010, 'opened', { sourceId: 'button', incidentId: 'panic' }),
    logged(6, 'quiet', 40_010, 'opened', {
      sourceId: 'shop',
      accountId: 'other',
      environment: 'test',
      incidentId: 'trial',
    }),
  ],
  incidents: [
    incident('fire', 'alarm', 12_010, 'fired', { triggerCount: 2 }),
    incident('panic', 'button', 30_010, 'pressed', { mode: null }),
    incident('trial', 'shop', 40_010, 'quiet', { accountId: 'other', environment: 'test' }),
  ],
  messages: [
    message('fire-1', 'fire', 12_010),
    message('fire-2', 'fire', 72_010, { step: 1, contactId: 'bob' }),
    message('panic-1', 'panic', 30_010),
    message('trial-1', 'trial', 40_010, { accountId: 'other', status: 'suppressed', firstAttemptAt: null }),
  ],
  received: [
    received('fire-1', 12_070),
    received('fire-2', 72_080, 'bob@house.example'),
    received('panic-1', 30_070),
    received('panic-1', 56_000),
  ],
  faults: [{ what: 'a process is killed', from: 30_080, until: 33_000, inFlight: ['panic-1'] }],
  sources: [ALARM, BUTTON, SHOP],
  heard: ['email'],
};

/** The clean history with some rows of one list changed, or left out where `null` is given for them. */
export function planted<List extends 'calls' | 'logged' | 'incidents' | 'messages' | 'received'>(
  list: List,
  change: (row: History[List][number]) => Partial<History[List][number]> | null,
): History {
  const rows = (CLEAN[list] as History[List][number][]).flatMap(row => {
    const changed = change(row);
    return changed === null ? [] : [{ ...row, ...changed }];
  });
  return { ...CLEAN, [list]: rows };
}

export { call, incident, logged, message, received };
