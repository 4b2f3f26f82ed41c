import { describe, expect, test } from 'vitest';
import { explainCall } from '../../../services/words/call.ts';
import { en } from '../../../services/words/en.ts';
import type { CallWord, ExplainedCall } from '../../../services/words/owner/types.ts';

/** Every word of Outcome and Verdict; the type check fails when one is missing here. */
const WORDS: Record<CallWord, 'outcome' | 'verdict' | 'both'> = {
  accepted: 'verdict',
  armed: 'outcome',
  disarmed: 'outcome',
  pending: 'outcome',
  opened: 'outcome',
  cancelled: 'outcome',
  folded: 'outcome',
  closed: 'outcome',
  nothing_open: 'outcome',
  nothing_waits: 'outcome',
  more_came: 'outcome',
  another_waits: 'outcome',
  held_by_gate: 'both',
  source_disabled: 'both',
  acknowledged: 'outcome',
  already_acknowledged: 'outcome',
  already_closed: 'outcome',
  stepped: 'outcome',
  no_next_step: 'outcome',
  noted: 'outcome',
  too_many_notes: 'outcome',
  too_many_hand_overs: 'outcome',
  handed_over: 'outcome',
  already_handed_over: 'outcome',
  not_reachable: 'outcome',
  declined: 'outcome',
  declined_next: 'outcome',
  declined_last: 'outcome',
  went_live: 'outcome',
  disabled: 'outcome',
  failed: 'outcome',
  unknown_path: 'verdict',
  wrong_method: 'verdict',
  key_unknown: 'verdict',
  key_revoked: 'verdict',
  key_expired: 'verdict',
  not_found: 'verdict',
  unknown_mode: 'verdict',
  mode_missing: 'verdict',
  limited: 'verdict',
  shed: 'verdict',
};

function call(but: Partial<ExplainedCall>): ExplainedCall {
  return {
    verb: 'trigger',
    outcome: 'opened',
    times: 1,
    by: 'machine',
    kind: 'alarm',
    answer: 'taken',
    pending: 'untouched',
    incident: null,
    ...but,
  };
}

const words = Object.keys(WORDS) as CallWord[];

describe('what became of a call, in sentences', () => {
  test('the table has every word and no other', () => {
    expect(Object.keys(en.owner.calls).sort()).toEqual([...words].sort());
  });

  test.each(words)('%s: one sentence, and one on what to do where there is something', outcome => {
    const answers = WORDS[outcome] === 'verdict' ? (['refused'] as const) : (['taken', 'refused'] as const);
    for (const answer of answers) {
      const { explanation, advice } = explainCall(en.owner, call({ outcome, answer }));
      expect(explanation).toMatch(/^[A-Z][^.]{20,}\.$/);
      expect(advice).toMatch(/^([A-Z].{10,}\.)?$/);
    }
  });

  test('no two words share a sentence', () => {
    const sentences = words.map(outcome => explainCall(en.owner, call({ outcome })).explanation);
    expect(new Set(sentences).size).toBe(words.length);
  });

  test.each<[string, Partial<ExplainedCall>, RegExp, 'something to do' | 'nothing to do']>([
    ['live', { incident: { environment: 'live', outcome: 'alerting' } }, /are alerted/, 'nothing to do'],
    ['in test', { incident: { environment: 'test', outcome: 'alerting' } }, /in test.*nobody was/, 'something to do'],
    [
      'a button in test',
      { kind: 'panic_button', incident: { environment: 'test', outcome: 'alerting' } },
      /^The panic button is in test/,
      'something to do',
    ],
    [
      'a rehearsal',
      { by: 'person', incident: { environment: 'test', outcome: 'alerting' } },
      /rehearsal.*nobody was/,
      'nothing to do',
    ],
    ['nobody', { incident: { environment: 'live', outcome: 'nobody_to_alert' } }, /nobody to alert/, 'something to do'],
    [
      'unanswered',
      { incident: { environment: 'live', outcome: 'exhausted' } },
      /everyone who could be reached was alerted, and nobody acknowledged/,
      'something to do',
    ],
    ['folded into a window', { outcome: 'folded' }, /waiting in its false-alarm window/, 'something to do'],
    [
      'folded into an incident',
      { outcome: 'folded', incident: { environment: 'live', outcome: 'alerting' } },
      /already open/,
      'something to do',
    ],
    [
      'disarmed in the window',
      { verb: 'disarm', outcome: 'disarmed', pending: 'touched' },
      /was cancelled/,
      'nothing to do',
    ],
    [
      'disarmed an incident',
      { verb: 'disarm', outcome: 'disarmed', incident: { environment: 'live', outcome: 'alerting' } },
      /incident was closed/,
      'nothing to do',
    ],
    ['closed by a person', { verb: 'close', outcome: 'closed' }, /A person closed/, 'nothing to do'],
    ['closed by a machine', { verb: 'clear', outcome: 'closed' }, /The clear/, 'nothing to do'],
    ['held as 404', { outcome: 'held_by_gate', answer: 'refused' }, /404/, 'something to do'],
    ['held after a 202', { outcome: 'held_by_gate' }, /held back/, 'something to do'],
    ['went live', { verb: 'go_live', outcome: 'went_live', pending: 'touched' }, /test trigger was/, 'nothing to do'],
    [
      'disabled',
      { verb: 'disable', outcome: 'disabled', pending: 'touched' },
      /trigger was cancelled/,
      'nothing to do',
    ],
  ])('%s', (_case, but, expected, todo) => {
    const { explanation, advice } = explainCall(en.owner, call(but));
    expect(explanation).toMatch(expected);
    expect(advice === '' ? 'nothing to do' : 'something to do').toBe(todo);
  });
});

describe('what became of a message, in a sentence', () => {
  test.each([
    ['scheduled', '', '', 'Scheduled.'],
    ['scheduled', 'come back later', '', 'To be tried again: come back later.'],
    ['suppressed', '', '', 'Not sent in test; live, it would have been sent.'],
    ['suppressed', 'no_address', '', /^Not sent in test; live it would not have gone: the contact has no address/],
    [
      'suppressed',
      'no_carrier',
      '',
      /^Not sent in test; live it would not have gone: no carrier is set up for text\.$/,
    ],
    ['suppressed', 'disabled', '', /^Not sent in test; live it would not have gone: the address is disabled\.$/],
    ['sending', '', '', 'Being sent.'],
    ['sent', '', '', 'The carrier accepted it; whether it arrived is not known.'],
    ['delivered', '', '', 'The carrier reports that it arrived.'],
    ['failed', 'spend_ceiling', '', /the daily SMS and call limit was reached/],
    ['failed', 'plan_required', '', /the plan does not cover/],
    ['failed', 'mailbox full', '', 'Failed: mailbox full.'],
    ['failed', 'not_verified', '', 'Failed: the address is not verified.'],
    ['suppressed', 'not_verified', '', /^Not sent in test; live it would not have gone: the address is not verified/],
    ['failed', 'no answer', '', 'Failed: nobody picked up.'],
    ['failed', 'invalid number', '', 'Failed: the carrier says that the phone number does not exist.'],
    ['failed', 'carrier refused: 30034', '', 'Failed: carrier refused: 30034.'],
    ['failed', 'toString', '', 'Failed: toString.'],
    ['failed', '', '', 'Failed: the carrier gave no reason.'],
    ['scheduled', 'busy', '', 'To be tried again: the line was busy.'],
    ['scheduled', 'throttled', '', /^Postponed: the contact had just received many messages/],
    ['cancelled', '', 'acknowledged', 'Not sent: the incident was acknowledged.'],
    ['cancelled', 'come back later', 'disarm', 'Not sent: the alarm was disarmed.'],
    ['no_carrier', 'no carrier is configured for text', '', /^Not sent: no carrier is configured for text\.$/],
  ] as const)('%s %j %j', (status, reason, cancelledBy, expected) => {
    const message = { channel: 'text', status, reason, cancelledBy, insteadOf: null } as const;
    expect(en.owner.deliveries(message)).toMatch(expected);
    const inPlace = en.owner.deliveries({ ...message, channel: 'email', insteadOf: 'text' });
    expect(inPlace).toMatch(/\. It stands in for text\.$/);
  });
});
