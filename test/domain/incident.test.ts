import { describe, expect, test } from 'vitest';
import { scheduleEscalation } from '../../services/domain/escalation.ts';
import { autoCloseAt, type CloseReason, foldsInto } from '../../services/domain/incident.ts';
import {
  acknowledgeIncident,
  closeIncident,
  foldIntoIncident,
  openIncident,
} from '../../services/domain/incident-moves.ts';
import { DAY_S, FAMILY, incident, MEANS, noChanges, seconds, state } from '../support/decide.ts';

const opening = {
  mode: 'away',
  environment: 'live',
  openedAt: seconds(10),
  windowEndedAt: null,
  triggerCount: 1,
  lastTriggerAt: seconds(10),
  trippedKeys: [7],
  silentSince: null,
  traceId: 'the call',
  askAgainAfterS: 0,
} as const;

const escalation = (environment: 'live' | 'test' = 'live') =>
  scheduleEscalation(FAMILY, seconds(10), environment, MEANS);

describe('SPEC.md 3 and DECISIONS.md "Live trigger into an open test incident": what a trigger joins', () => {
  test.each([
    [null, 'silence', 'opens'],
    [null, 'live', 'opens'],
    [null, 'test', 'opens'],
    ['live', 'live', 'joins'],
    ['live', 'test', 'joins'],
    ['test', 'test', 'joins'],
    ['test', 'live', 'opens'],
    ['live', 'silence', 'joins'],
    ['silence', 'silence', 'joins'],
    ['silence', 'test', 'joins'],
    // Somebody may have acknowledged that a camera is silent, and sleep.
    ['silence', 'live', 'opens'],
    ['test', 'silence', 'opens'],
  ] as const)('open: %s, trigger: %s: it %s', (open, trigger, expected) => {
    const as = (one: 'live' | 'test' | 'silence') =>
      one === 'silence' ? { environment: 'live' as const, silentSince: 5 } : { environment: one, silentSince: null };
    const current = open === null ? null : incident(as(open));
    expect(foldsInto(current, as(trigger))).toBe(expected === 'joins');
  });
});

describe('opening', () => {
  test('writes the incident, that it opened, and every message', () => {
    const now = state();
    const changes = noChanges();
    expect(openIncident(now, changes, opening, 'new-1', escalation())).toBe('new-1');
    expect(now.incident).toEqual({
      ...opening,
      id: 'new-1',
      askedAgain: 0,
      asksAgainAt: null,
      outcome: 'alerting',
      escalationEndsAt: seconds(310),
      acknowledgedAt: null,
      acknowledgedBy: null,
      acknowledgedVia: null,
      acknowledgedContactId: null,
      closedAt: null,
      closeReason: null,
      handedOver: 0,
      handedTo: null,
    });
    expect(changes.incidents).toEqual(new Map([['new-1', { incident: now.incident, isNew: true }]]));
    expect(changes.entries).toEqual([{ incidentId: 'new-1', at: seconds(10), kind: 'opened', detail: 'live' }]);
    expect(changes.deliveries.map(({ incidentId, planned }) => [incidentId, planned.dueAt])).toEqual([
      ['new-1', seconds(10)],
      ['new-1', seconds(310)],
    ]);
    expect(changes.cancellations).toEqual([]);
  });

  test('DECISIONS.md "Mode with no policy, or a policy that names nobody": it opens all the same and says that there is nobody to alert', () => {
    const now = state();
    const changes = noChanges();
    const nobody = scheduleEscalation(null, seconds(10), 'live', MEANS);
    openIncident(now, changes, opening, 'new-1', nobody);
    expect(now.incident).toMatchObject({ outcome: 'nobody_to_alert', escalationEndsAt: seconds(10), closedAt: null });
    expect(changes.entries.map(({ kind }) => kind)).toEqual(['opened', 'nobody_to_alert']);
  });

  test.each([
    ['live', [{ incidentId: 'new-1', at: seconds(10), kind: 'escalation_capped' }]],
    ['test', []],
  ] as const)('of more messages than there may be it says how many are left out, and %s the owner is told: %j', (environment, notices) => {
    const changes = noChanges();
    openIncident(state(), changes, { ...opening, environment }, 'new-1', { ...escalation(environment), leftOut: 12 });
    expect(changes.entries.map(({ at, kind, detail }) => [at, kind, detail])).toEqual([
      [seconds(10), 'opened', environment],
      [seconds(10), 'escalation_capped', '12'],
    ]);
    expect(changes.notices).toEqual(notices);
  });

  test('DECISIONS.md "Live trigger into an open test incident": a test incident makes room for the live one', () => {
    const now = state({ incident: incident({ environment: 'test' }) });
    const changes = noChanges();
    openIncident(now, changes, opening, 'new-1', escalation());
    expect(changes.incidents.get('open-1')?.incident).toMatchObject({
      closedAt: seconds(10),
      closeReason: 'superseded',
    });
    expect(changes.cancellations).toEqual([{ incidentId: 'open-1', at: seconds(10), what: 'all' }]);
    expect(now.incident).toMatchObject({ id: 'new-1', environment: 'live' });
  });
});

describe('SPEC.md 3: a further trigger of an open incident', () => {
  test('is counted, and nobody is alerted again', () => {
    const now = state({ incident: incident() });
    const changes = noChanges();
    foldIntoIncident(now, changes, now.incident!, { acceptedAt: seconds(20), keySeq: null });
    expect(now.incident).toEqual(incident({ triggerCount: 2, lastTriggerAt: seconds(20) }));
    expect(changes).toMatchObject({ entries: [], deliveries: [], cancellations: [] });
  });

  test('the last one is the latest, also when calls in flight together come the other way round', () => {
    const now = state({ incident: incident({ lastTriggerAt: seconds(20) }) });
    foldIntoIncident(now, noChanges(), now.incident!, { acceptedAt: seconds(19), keySeq: null });
    expect(now.incident?.lastTriggerAt).toBe(seconds(20));
  });
});

describe('DECISIONS.md "Close or acknowledge": ends the incident and what is left of its escalation', () => {
  const REASONS: CloseReason[] = [
    'clear',
    'disarm',
    'auto_close',
    'console',
    'superseded',
    'went_live',
    'source_disabled',
  ];
  test.each(REASONS)('%s', reason => {
    const now = state({ incident: incident(), armedMode: 'home' });
    const changes = noChanges();
    closeIncident(now, changes, seconds(50), reason);
    expect(now).toEqual(state({ armedMode: 'home' }));
    const closed = incident({ closedAt: seconds(50), closeReason: reason, escalationEndsAt: seconds(50) });
    expect(changes.incidents).toEqual(new Map([['open-1', { incident: closed, isNew: false }]]));
    expect(changes.entries).toEqual([{ incidentId: 'open-1', at: seconds(50), kind: 'closed', detail: reason }]);
    expect(changes.cancellations).toEqual([{ incidentId: 'open-1', at: seconds(50), what: 'all' }]);
  });

  test('the escalation’s end stays where it was before the close', () => {
    const changes = noChanges();
    closeIncident(state({ incident: incident() }), changes, seconds(1_000), 'clear');
    expect(changes.incidents.get('open-1')?.incident.escalationEndsAt).toBe(seconds(300));
  });

  test('never before it opened', () => {
    const changes = noChanges();
    closeIncident(state({ incident: incident({ openedAt: seconds(30) }) }), changes, seconds(29), 'disarm');
    expect(changes.incidents.get('open-1')?.incident.closedAt).toBe(seconds(30));
  });

  test('nothing is open: nothing happens', () => {
    const now = state();
    const changes = noChanges();
    closeIncident(now, changes, seconds(50), 'clear');
    expect([now, changes]).toEqual([state(), noChanges()]);
  });
});

describe('DECISIONS.md "Acknowledge": stops the escalation, closes nothing', () => {
  test.each([
    ['while the escalation runs', 50, 50],
    ['after it ended', 1_000, 300],
  ])('%s', (_when, atS, endsAtS) => {
    const now = state({ incident: incident() });
    const changes = noChanges();
    acknowledgeIncident(now, changes, now.incident!, seconds(atS), { name: 'anna', via: 'link', contactId: 'a' });
    const acknowledged = {
      acknowledgedAt: seconds(atS),
      acknowledgedBy: 'anna',
      acknowledgedVia: 'link' as const,
      acknowledgedContactId: 'a',
      escalationEndsAt: seconds(endsAtS),
    };
    expect(now.incident).toEqual(incident(acknowledged));
    expect(changes.entries).toEqual([{ incidentId: 'open-1', at: seconds(atS), kind: 'acknowledged', detail: 'anna' }]);
    expect(changes.cancellations).toEqual([{ incidentId: 'open-1', at: seconds(atS), what: 'alerts' }]);
    expect(changes.followUps).toEqual([
      { incidentId: 'open-1', at: seconds(atS), kind: 'acknowledged', ordinal: 0, exceptContactId: 'a' },
    ]);
  });

  test('in test nobody was alerted, so nobody is told', () => {
    const now = state({ incident: incident({ environment: 'test' }) });
    const changes = noChanges();
    acknowledgeIncident(now, changes, now.incident!, seconds(50), { name: 'anna', via: 'console', contactId: null });
    expect(changes.followUps).toEqual([]);
  });
});

test('SPEC.md 8: an incident closes by itself 24 hours after its escalation ends', () => {
  expect(autoCloseAt(incident())).toBe(seconds(300 + DAY_S));
});

test('an incident that opens and changes at once is still written as a new one, in its last form', () => {
  const now = state();
  const changes = noChanges();
  openIncident(now, changes, opening, 'new-1', escalation());
  foldIntoIncident(now, changes, now.incident!, { acceptedAt: seconds(11), keySeq: null });
  closeIncident(now, changes, seconds(12), 'clear');
  expect([...changes.incidents.values()]).toEqual([
    { isNew: true, incident: expect.objectContaining({ triggerCount: 2, closeReason: 'clear' }) },
  ]);
});
