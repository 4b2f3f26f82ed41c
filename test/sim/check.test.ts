import { expect, test } from 'vitest';
import { checkModel } from './check-model.ts';
import {
  checkAccess,
  checkFailover,
  checkOutcome,
  checkOver,
  checkPlans,
  checkSteps,
  checkTimes,
  checkTripped,
  checkWorkers,
} from './check-own.ts';
import type { Found } from './found.ts';
import { BEGIN, type Called, type Lived, type Sent } from './lived.ts';
import type { House } from './world.ts';

/* What only the simulation looks at: a life in which all is well, and one thing after the other that is not. */

const HOUSE: House = {
  accountId: 'home',
  ids: { alarm: 'alarm', button: 'button' },
  key: 'a key',
  spare: { id: 'spare', secret: 'another key' },
  channels: ['text', 'email'],
  addresses: ['anna@example.com'],
};

const TRACE = '00000000-0000-4000-8000-000000000001';

const CALLED: Called = {
  house: 0,
  source: 'alarm',
  call: 'trigger/night',
  trace: TRACE,
  at: 'p0',
  began: { step: 10, at: 100 },
  ended: { step: 12, at: 104 },
  answer: 'accepted',
  verdict: 'accepted',
  key: 'good',
  environments: ['live'],
  disabled: 'never',
};

const SENT: Sent = {
  delivery: 'message',
  attempt: 1,
  channel: 'text',
  kind: 'alert',
  incident: 'incident',
  address: 'anna@example.com',
  at: 5_110,
  by: 'p0',
  leased: 40,
  taken: 'sent',
};

/** A trigger by night is told after five seconds. */
function aLife(): Lived {
  return {
    seed: 1,
    clock: 'nobody',
    limits: 'own',
    settings: [
      { gate: 'off', clearOnDisarm: 'off', windows: { home: 0, away: 0, night: 0, vacation: 0 }, missing: null },
    ],
    calls: [structuredClone(CALLED)],
    acts: [],
    sends: [structuredClone(SENT)],
    reports: [],
    harm: [],
    committed: new Map([[TRACE, 20]]),
    surprises: [],
    lines: ['something'],
    counts: {},
  };
}

function rows(): Found {
  const at = BEGIN + 102;
  const own = { accountId: 'home', sourceId: 'alarm', environment: 'live' as const, traceId: TRACE };
  return {
    now: BEGIN + 60_000,
    logged: [{ ...own, id: 1n, verb: 'trigger', key: 7, at, appliedAt: at, outcome: 'opened', incidentId: 'incident' }],
    incidents: [
      {
        ...own,
        id: 'incident',
        mode: 'night',
        status: 'open',
        openedAt: at,
        appliedAt: at,
        acknowledgedAt: null,
        closedAt: null,
        closeReason: null,
        triggerCount: 1,
        lastTriggerAt: at,
        trippedKeys: [7],
      },
    ],
    messages: [
      {
        id: 'message',
        accountId: 'home',
        incidentId: 'incident',
        kind: 'alert',
        round: 0,
        step: 0,
        contactId: 'anna',
        channel: 'text',
        status: 'sent',
        reason: null,
        attempt: 1,
        insteadOf: null,
        plannedAt: at + 5_000,
        movedFrom: null,
        dueAt: at + 5_000,
        firstAttemptAt: at + 5_000,
      },
    ],
    undone: [],
    steps: 0,
  };
}

const CHECKS = {
  times: checkTimes,
  steps: checkSteps,
  plans: (_: Lived, found: Found) => checkPlans(found),
  tripped: (_: Lived, found: Found) => checkTripped(found),
  access: checkAccess,
  outcome: checkOutcome,
  over: checkOver,
  failover: (lived: Lived, found: Found) => checkFailover(lived, found, [HOUSE]),
  workers: (lived: Lived) => checkWorkers(lived),
  model: (lived: Lived, found: Found) => checkModel(lived, found, [HOUSE]),
};

/** Which checks find something. */
function found(lived: Lived, rows: Found): string[] {
  return Object.entries(CHECKS).flatMap(([name, look]) => (look(lived, rows).violations.length > 0 ? [name] : []));
}

test('a life in which all is well violates nothing', () => {
  expect(found(aLife(), rows())).toEqual([]);
});

/** What goes wrong, and the checks that find it. */
const WRONG: [what: string, finds: string[], change: (lived: Lived, found: Found) => void][] = [
  [
    'a call stored before it was made',
    ['times'],
    ({ calls: [call] }) => Object.assign(call!, { began: { step: 10, at: 103 } }),
  ],
  ['a step that goes out too soon', ['steps'], ({ sends: [sent] }) => Object.assign(sent!, { at: 5_000 })],
  ['a step planned too late', ['plans'], (_, { messages: [one] }) => Object.assign(one!, { plannedAt: BEGIN + 5_200 })],
  [
    'an incident that names another key than the one that tripped it',
    ['tripped'],
    (_, { incidents: [one] }) => Object.assign(one!, { trippedKeys: [8] }),
  ],
  ['a revoked key that opens', ['access'], ({ calls: [call] }) => Object.assign(call!, { key: 'revoked' })],
  ['a disabled alarm that answers', ['access'], ({ calls: [call] }) => Object.assign(call!, { disabled: 'always' })],
  [
    'a refusal without a reason',
    ['access'],
    ({ calls: [call] }) => Object.assign(call!, { answer: 'refused', verdict: 'held_by_gate' }),
  ],
  ['an outcome that was not', ['outcome'], ({ sends: [sent] }) => Object.assign(sent!, { taken: 'permanent' })],
  [
    'a message that is forgotten',
    ['outcome'],
    ({ sends }, found) => {
      sends.length = 0;
      Object.assign(found.messages[0]!, { status: 'scheduled' });
      found.now = BEGIN + 600_000;
    },
  ],
  [
    'an alert of what is closed',
    ['over'],
    ({ acts, committed }, { logged, incidents: [incident] }) => {
      const trace = '00000000-0000-4000-8000-000000000002';
      acts.push({ house: 0, source: 'alarm', verb: 'close', trace, incident: 'incident', stored: 'yes' });
      committed.set(trace, 30);
      logged.push({ ...logged[0]!, traceId: trace, verb: 'close', at: BEGIN + 200, outcome: 'closed' });
      Object.assign(incident!, { status: 'closed', closedAt: BEGIN + 200, closeReason: 'console' });
    },
  ],
  [
    'a failure without another way',
    ['failover'],
    ({ sends: [sent] }, { messages: [one] }) => {
      Object.assign(sent!, { taken: 'permanent' });
      Object.assign(one!, { status: 'failed' });
    },
  ],
  ['a fault that no harm explains', ['workers'], ({ surprises }) => surprises.push('TypeError')],
  [
    'a call that came to something else',
    ['model'],
    (_, { logged: [row] }) => Object.assign(row!, { outcome: 'folded' }),
  ],
  ['an incident that is not there', ['model'], (_, { incidents }) => Object.assign(incidents[0]!, { triggerCount: 2 })],
  ['a call that was never made', ['model'], ({ calls }) => calls.splice(0)],
];

test.each(WRONG)('%s is found', (_, finds, change) => {
  const [lived, had] = [aLife(), rows()];
  change(lived, had);
  expect(found(lived, had)).toEqual(expect.arrayContaining(finds));
});
