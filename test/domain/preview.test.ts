import { describe, expect, test } from 'vitest';
import type { ContactCopy } from '../../services/domain/escalation.ts';
import { preview } from '../../services/domain/preview.ts';
import { type Means, messagesOf } from '../../services/domain/reach.ts';
import { means, NOW, person, policy, stranger } from './readiness-rig.ts';

describe('what would become of the messages of one step to one contact', () => {
  const free = means({ account: { plan: 'free', trialEndsAt: NOW }, carriers: ['email'] });
  test.each<[string, ContactCopy, Means, string[]]>([
    ['all go out', person('Anna', ['text', 'email']), means(), ['text goes', 'email goes']],
    [
      'one without address: the first other takes over',
      person('Anna', ['call'], ['email', 'text']),
      means(),
      ['call no_address', 'email goes'],
    ],
    [
      'nothing that the step names already takes over',
      person('Anna', ['call', 'email'], ['email']),
      means(),
      ['call no_address', 'email goes'],
    ],
    [
      'two fail: two others take over',
      person('Anna', ['text', 'call'], ['push', 'email']),
      means(),
      ['text no_address', 'call no_address', 'push goes', 'email goes'],
    ],
    [
      'no plan: the other is one that the plan covers',
      person('Anna', ['text'], ['text', 'call', 'email']),
      free,
      ['text plan_required', 'email goes'],
    ],
    [
      'not verified: a verified one takes over',
      stranger('Anna', ['text'], ['email']),
      means(),
      ['text not_verified', 'email goes'],
    ],
    [
      'no carrier: the other is one that has one',
      person('Anna', ['push'], ['push', 'webhook', 'email']),
      free,
      ['push no_carrier', 'email goes'],
    ],
    [
      'disabled: another takes over',
      { ...person('Anna', ['push'], ['email']), disabled: ['push'] },
      means(),
      ['push disabled', 'email goes'],
    ],
    ['nothing else would go', person('Anna', ['text'], ['text', 'push']), free, ['text plan_required']],
  ])('%s', (_what, contact, by, expected) => {
    expect(messagesOf(contact, by, NOW).map(({ channel, reach }) => `${channel} ${reach}`)).toEqual(expected);
  });
});

describe('the preview of a trigger', () => {
  const rounds = { ...policy([person('Anna', ['call'], ['email'])], [person('Ben', ['email'])]), repeat: 1 };
  const show = (environment: 'live' | 'test', windowS: number) => {
    const { deliveries, escalationEndsS } = preview({ policy: rounds, at: NOW, windowS, environment }, means());
    return [
      ...deliveries.map(
        one => `${one.afterS} ${one.round}.${one.step} ${one.contactName} ${one.channel} ${one.outcome}`,
      ),
      escalationEndsS,
    ];
  };

  test('live: window, delays and rounds add up, and what takes the place of a message is shown after it', () => {
    expect(show('live', 30)).toEqual([
      '90 0.0 Anna call no_address',
      '90 0.0 Anna email sent',
      '150 0.1 Ben email sent',
      '510 1.0 Anna call no_address',
      '510 1.0 Anna email sent',
      '570 1.1 Ben email sent',
      570,
    ]);
  });

  test.each([
    'live',
    'test',
  ] as const)('%s: what the incident would plan, and how much of the policy is left out', environment => {
    const one = person('Anna', ['email', 'text']);
    const [rest, last] = [Array(249).fill(one), person('Zoë', ['email', 'text', 'call'])];
    const told = preview({ policy: { ...policy(rest, [last]), repeat: 1 }, at: NOW, windowS: 0, environment }, means());
    expect(told).toMatchObject({ leftOut: 502, escalationEndsS: 120 });
    expect(told.deliveries.slice(-2).map(({ contactName, channel }) => `${contactName} ${channel}`)).toEqual([
      'Zoë email',
      'Zoë text',
    ]);
  });

  test('in test: the rows that would be recorded', () => {
    expect(show('test', 0)).toEqual([
      '60 0.0 Anna call no_address',
      '60 0.0 Anna email suppressed',
      '120 0.1 Ben email suppressed',
      '480 1.0 Anna call no_address',
      '480 1.0 Anna email suppressed',
      '540 1.1 Ben email suppressed',
      540,
    ]);
  });

  test('without a policy nobody is told, and it ends when it opens', () => {
    expect(preview({ policy: null, at: NOW, windowS: 20, environment: 'live' }, means())).toEqual({
      deliveries: [],
      leftOut: 0,
      escalationEndsS: 20,
    });
  });
});
