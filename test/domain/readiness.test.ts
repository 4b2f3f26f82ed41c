import { describe, expect, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import type { PolicyCopy } from '../../services/domain/escalation.ts';
import { MODES } from '../../services/domain/mode.ts';
import type { Means } from '../../services/domain/reach.ts';
import {
  type Finding,
  type PolicyFinding,
  type ReadinessFacts,
  readinessOf,
  SEVERITIES,
} from '../../services/domain/readiness.ts';
import { judgePolicy } from '../../services/domain/readiness-policy.ts';
import { en } from '../../services/words/en.ts';
import { DAY, means, NOW, person, policy, stranger } from './readiness-rig.ts';

const TWO = policy([person('Anna', ['email'])], [person('Ben', ['text'])]);

const sayFinding = en.owner.findings.of;

/** A finding of a policy in words. */
function said(finding: PolicyFinding) {
  return sayFinding({ ...finding, mode: 'away' }, alarm());
}

/** An alarm against which nothing stands: live, all modes bound, at a place with an address. */
function alarm(but: Partial<ReadinessFacts> = {}, by: Means = means()): ReadinessFacts {
  return {
    key: 'house',
    kind: 'alarm',
    turnedAway: { limited: 0, shed: 0 },
    senders: { supervised: 0, silent: 0, names: [], proposed: [] },
    test: false,
    disabled: false,
    deactivated: false,
    armedMode: null,
    location: { key: 'home', name: 'Home', address: '1 Elm Street', test: false },
    linksLead: 'anywhere',
    modes: MODES.map(mode => ({ mode, policy: judgePolicy(TWO, by, NOW) })),
    ...but,
  };
}

const told = (findings: Finding[]) =>
  findings.map(({ severity, code, mode }) => `${severity} ${code} ${mode ?? ''}`.trim());

test('nothing stands against an alarm and a panic button that are set up', () => {
  expect(readinessOf(alarm())).toEqual([]);
  expect(
    readinessOf(alarm({ kind: 'panic_button', modes: [{ mode: null, policy: judgePolicy(TWO, means(), NOW) }] })),
  ).toEqual([]);
});

test('links that lead to this machine alone block what is live and carries any: not in test, not where all is spoken', () => {
  const code = (but: Partial<ReadinessFacts>) => told(readinessOf(alarm({ linksLead: 'this_machine', ...but })));
  expect(code({})).toEqual(['blocks links_unreachable']);
  expect(code({ linksLead: 'nowhere' })).toEqual([]);
  expect(code({ test: true })).toEqual(['blocks in_test']);
  const spoken = policy([person('Anna', ['call'])], [person('Ben', ['call'])]);
  const modes = MODES.map(mode => ({ mode, policy: judgePolicy(spoken, means(), NOW) }));
  expect(code({ modes })).toEqual([]);
});

describe('what stands against the source itself', () => {
  const off = { key: 'home', name: 'Home', address: '1 Elm Street', test: true };
  const boundTo = (...modes: (typeof MODES)[number][]) =>
    modes.map(mode => ({ mode, policy: judgePolicy(TWO, means(), NOW) }));
  test.each<[string, Partial<ReadinessFacts>, string[]]>([
    ['disabled', { disabled: true }, ['blocks disabled']],
    ['deactivated by a downgrade', { deactivated: true }, ['blocks deactivated']],
    ['its own test switch', { test: true }, ['blocks in_test']],
    ['the test switch of its location', { location: off }, ['blocks in_test']],
    [
      'one of its supervised senders silent',
      { senders: { supervised: 2, silent: 1, names: ['Camera'], proposed: [] } },
      ['warns silent_sender'],
    ],
    [
      'all of its supervised senders silent',
      { senders: { supervised: 1, silent: 1, names: ['Camera'], proposed: [] } },
      ['blocks silent_sender'],
    ],
    [
      'a sender that calls regularly and is not supervised',
      {
        senders: {
          supervised: 0,
          silent: 0,
          names: [],
          proposed: [{ id: 'k', key: 'camera', label: 'Camera', proposedS: 900 }],
        },
      },
      ['notes supervision_proposed'],
    ],
    [
      'no address at its location',
      { location: { ...off, test: false, address: ' \n' } },
      ['notes no_location_address'],
    ],
    [
      'calls that were turned away',
      { turnedAway: { limited: 1, shed: 9 } },
      ['warns calls_limited', 'warns calls_shed'],
    ],
    ['no mode away', { modes: boundTo('home', 'night') }, ['blocks no_away_mode']],
    ['no mode at all', { modes: [] }, ['blocks no_away_mode']],
    [
      'armed in a mode that is gone',
      { armedMode: 'night', modes: boundTo('away') },
      ['warns armed_mode_missing night'],
    ],
    [
      'armed in a mode that is gone, and no away to fall back to',
      { armedMode: 'night', modes: boundTo('home') },
      ['blocks no_away_mode', 'blocks armed_mode_missing night'],
    ],
    ['armed in a mode that it has', { armedMode: 'night' }, []],
    [
      'two modes without a policy',
      { modes: [{ mode: 'home', policy: null }, ...boundTo('away'), { mode: 'night', policy: null }] },
      ['blocks no_policy home', 'blocks no_policy night'],
    ],
    [
      'a panic button without a policy',
      { kind: 'panic_button', modes: [{ mode: null, policy: null }] },
      ['blocks no_policy'],
    ],
  ])('%s', (_what, but, expected) => {
    expect(told(readinessOf(alarm(but)))).toEqual(expected);
  });

  test.each<[string, Partial<ReadinessFacts>, string[], string[]]>([
    ['its own', { test: true }, ['its own test switch is on'], ['tocsin alarms update house --live']],
    ['the location’s', { location: off }, ['location "Home" is on'], ['tocsin locations update home --live']],
    [
      'both',
      { test: true, location: off },
      ['its own test switch and', 'location "Home" are on'],
      ['tocsin alarms update house --live', 'tocsin locations update home --live'],
    ],
    ['a panic button’s', { kind: 'panic_button', test: true }, [], ['tocsin panic-buttons update house --live']],
  ])('in test says which switch is on, and what turns it: %s', (_which, but, problem, fix) => {
    const found = readinessOf(alarm(but)).find(({ code }) => code === 'in_test')!;
    const said = sayFinding(found, alarm(but));
    for (const words of problem) expect(said.problem).toContain(words);
    expect(said.fix.match(/tocsin [\w-]+ update \w+ --live/g)).toEqual(fix);
  });
});

describe('what stands against the policy of a mode', () => {
  const trial = { account: { plan: 'free', trialEndsAt: NOW + DAY } } as const;
  const free = { account: { plan: 'free', trialEndsAt: NOW } } as const;
  const noText = { carriers: ['email'] as ChannelKind[] };
  const both = (channel: ChannelKind, has: ChannelKind[] = [channel]) =>
    policy([person('Anna', [channel], has)], [person('Ben', [channel], has)]);

  test.each<[string, PolicyCopy, Means, string[]]>([
    [
      'a step with nobody',
      policy([], [person('Anna', ['email']), person('Ben', ['email'])]),
      means(),
      ['warns nobody_in_step'],
    ],
    ['no steps', policy(), means(), ['blocks nobody_in_step']],
    ['nobody in any step', policy([], []), means(), ['blocks nobody_in_step']],
    ['one person', policy([person('Anna', ['email'])], [person('Anna', ['text'])]), means(), ['notes only_one_person']],
    ['no address at all', both('text', []), means(), ['blocks no_reachable_contact', 'warns no_address_for_channel']],
    ['no address, but another channel takes over', both('text', ['email']), means(), ['warns no_address_for_channel']],
    [
      'no address in one of two steps',
      policy([person('Anna', ['email'])], [person('Ben', ['text'], [])]),
      means(),
      ['warns no_reachable_contact', 'warns no_address_for_channel'],
    ],
    [
      'not verified',
      policy([stranger('Anna', ['email'])], [stranger('Ben', ['email'])]),
      means(),
      ['blocks no_reachable_contact', 'warns not_verified'],
    ],
    [
      'not verified, but another channel takes over',
      policy([stranger('Anna', ['text'], ['email'])], [person('Ben', ['email'])]),
      means(),
      ['warns not_verified'],
    ],
    [
      'not verified in one of two steps',
      policy([person('Anna', ['email'])], [stranger('Ben', ['email'])]),
      means(),
      ['warns no_reachable_contact', 'warns not_verified'],
    ],
    [
      'not verified, no plan and no carrier: the first that has to be done',
      policy([stranger('Anna', ['text'])], [stranger('Ben', ['text'])]),
      means({ ...free, ...noText }),
      ['blocks no_reachable_contact', 'warns not_verified'],
    ],
    ['no carrier', both('text'), means(noText), ['blocks no_reachable_contact', 'warns no_carrier']],
    ['no carrier, but email takes over', both('text', ['text', 'email']), means(noText), ['warns no_carrier']],
    ['no plan', both('text'), means(free), ['blocks no_reachable_contact', 'warns plan_required']],
    ['no plan, but email takes over', both('call', ['call', 'email']), means(free), ['warns plan_required']],
    ['the trial is not over yet', both('text'), means(trial), ['notes plan_ends']],
    ['email needs no plan', both('email'), means(free), []],
    [
      'the trial is not over yet, and no carrier',
      both('text'),
      means({ ...trial, ...noText }),
      ['blocks no_reachable_contact', 'warns no_carrier', 'notes plan_ends'],
    ],
  ])('%s', (_what, bound, by, expected) => {
    const { modes } = alarm({ modes: [{ mode: 'away', policy: judgePolicy(bound, by, NOW) }] });
    expect(told(readinessOf(alarm({ modes })))).toEqual(expected.map(finding => `${finding} away`));
  });

  describe('more messages than one incident plans', () => {
    const crowd = (count: number, has: ChannelKind[] = ['email']) =>
      Array.from({ length: count }, (_, nth) => person(`P${nth}`, ['email'], has));
    const found = (of: PolicyCopy) => judgePolicy(of, means(), NOW).findings;

    test('warns, with what is asked for and what can be done', () => {
      const many = { ...policy(crowd(100)), repeat: 5 };
      expect(found({ ...many, repeat: 4 })).toEqual([]);
      expect(found(many)).toEqual([
        {
          code: 'escalation_capped',
          severity: 'warns',
          policy: 'Family',
          messages: 600,
        },
      ]);
      expect(said(found(many)[0]!)).toEqual({
        problem: 'The policy "Family" asks for 600 messages in one incident: only the first 500 are scheduled.',
        fix: 'Use fewer rounds, steps, contacts or channels.',
      });
    });

    test('who is never told makes nothing ready, and stands in nobody’s way', () => {
      const codes = (of: PolicyCopy) => found(of).map(({ severity, code }) => `${severity} ${code}`);
      expect(codes(policy(crowd(500, []), crowd(1)))).toEqual([
        'warns escalation_capped',
        'blocks no_reachable_contact',
        'warns no_address_for_channel',
      ]);
      expect(codes(policy(crowd(500), crowd(1, [])))).toEqual(['warns escalation_capped']);
    });
  });

  test('people with the same trouble stand in one sentence, each once and three by name', () => {
    const people = ['Anna', 'Ben', 'Cleo', 'Dora', 'Emil'].map(name => person(name, ['text'], ['email']));
    const { findings } = judgePolicy(policy(people, people), means(), NOW);
    expect(findings.map(finding => said(finding).problem)).toEqual([
      'The policy "Family" alerts Anna, Ben, Cleo and 2 more by text, where there is no usable address. Instead, the alert goes by email to Anna, Ben, Cleo and 2 more.',
    ]);
  });

  test('what verifies the addresses of up to three people is said', () => {
    const people = ['Anna', 'Ben', 'Cleo', 'Dora'].map(name => stranger(name, ['text'], ['email']));
    const [finding] = judgePolicy(policy(people, people), means(), NOW).findings;
    expect(said(finding!).problem).toContain('alerts Anna, Ben, Cleo and 1 more by text');
    expect(said(finding!).fix).toBe(
      'Send a code there and enter it: tocsin contacts verify anna text, tocsin contacts verify ben text and tocsin contacts verify cleo text.',
    );
  });

  test('the day on which the trial ends is named', () => {
    const [ends] = judgePolicy(both('text'), means(trial), NOW).findings;
    expect(said(ends!).problem).toContain('covers text until 2026-01-16 20:00 UTC only');
  });
});

test('findings come worst first, modes in their order, and every sentence ends as one', () => {
  const bad = policy([], [person('Anna', ['text', 'call', 'email', 'push'], ['text', 'email', 'push'])]);
  const by = means({ carriers: ['email'], account: { plan: 'free', trialEndsAt: NOW } });
  const findings = readinessOf(
    alarm({
      test: true,
      disabled: true,
      armedMode: 'away',
      location: { key: 'home', name: 'Home', address: '', test: true },
      modes: [
        { mode: 'home', policy: judgePolicy(bad, by, NOW) },
        { mode: 'night', policy: null },
        { mode: 'vacation', policy: judgePolicy(bad, by, NOW) },
      ],
    }),
  );
  const severities = findings.map(({ severity }) => SEVERITIES.indexOf(severity));
  expect(severities).toEqual(severities.toSorted());
  expect(told(findings).slice(0, 5)).toEqual([
    'blocks disabled',
    'blocks no_policy night',
    'blocks no_away_mode',
    'blocks armed_mode_missing away',
    'blocks in_test',
  ]);
  expect(told(findings).filter(one => one.includes('no_carrier'))).toEqual([
    'warns no_carrier home',
    'warns no_carrier vacation',
  ]);
  expect(findings.length).toBeGreaterThan(12);
  for (const { problem, fix } of findings.map(finding => sayFinding(finding, alarm())))
    for (const sentence of [problem, fix]) expect(sentence).toMatch(/^[A-Z].*\.$/);
});

describe('what stands against the proofs that people can be reached (DECISIONS.md "Proof of reach")', () => {
  const days = (count: number) => NOW - count * DAY;
  const anna = (...channels: ChannelKind[]) => person('Anna', channels);
  const judged = (of: PolicyCopy, proofs: Record<string, number>, by: Means = means()) =>
    judgePolicy(of, by, NOW, { provenAt: (id, channel) => proofs[`${id} ${channel}`] ?? null, rang: () => null });
  const found = (of: PolicyCopy, proofs: Record<string, number>, by?: Means) =>
    judged(of, proofs, by).findings.flatMap(one =>
      one.code === 'never_proven' || one.code === 'proof_stale' || one.code === 'proof_ages'
        ? [`${one.severity} ${one.code} ${one.people.map(({ name }) => name).join(' ')}`]
        : [],
    );
  const one = policy([anna('email')]);

  test.each<[string, PolicyCopy, Record<string, number>, string[]]>([
    ['never, and told first', one, {}, ['warns never_proven Anna']],
    ['never, and told later', TWO, { 'anna email': NOW }, []],
    ['today', one, { 'anna email': NOW }, []],
    ['45 days ago', one, { 'anna email': days(45) }, []],
    ['a moment more', one, { 'anna email': days(45) - 1 }, ['notes proof_ages Anna']],
    ['90 days ago', one, { 'anna email': days(90) }, ['notes proof_ages Anna']],
    ['a moment more than that', one, { 'anna email': days(90) - 1 }, ['warns proof_stale Anna']],
    ['over another of their ways', policy([anna('call', 'email')]), { 'anna email': days(1) }, []],
    ['over a way that the policy does not use', one, { 'anna call': days(1) }, ['warns never_proven Anna']],
    ['told later, long ago', TWO, { 'anna email': NOW, 'ben text': days(91) }, ['warns proof_stale Ben']],
    ['by webhook, where nobody can answer', policy([anna('webhook')]), {}, []],
    ['over a way that reaches nobody', policy([stranger('Anna', ['email'])]), {}, []],
    [
      'several people, each by their age',
      policy([anna('email'), person('Ben', ['text'])], [person('Lea', ['call'])]),
      { 'ben text': days(50), 'lea call': days(60) },
      ['warns never_proven Anna', 'notes proof_ages Ben Lea'],
    ],
  ])('proven %s', (_what, of, proofs, expected) => {
    expect(found(of, proofs)).toEqual(expected);
  });

  test.each<[string, ChannelKind[], Partial<Record<ChannelKind, 'aloud' | 'silent'>>, 'stays_silent' | 'may_ring']>([
    ['nobody was asked', ['push'], {}, 'may_ring'],
    ['it rang', ['push'], { push: 'aloud' }, 'may_ring'],
    ['the only way stays silent', ['push'], { push: 'silent' }, 'stays_silent'],
    ['beside mail, which rings nowhere', ['push', 'email'], { push: 'silent' }, 'stays_silent'],
    ['beside a call that was not tried', ['push', 'call'], { push: 'silent' }, 'may_ring'],
    ['beside a call that rings', ['push', 'call'], { push: 'silent', call: 'aloud' }, 'may_ring'],
    ['all ways', ['text', 'call'], { text: 'silent', call: 'silent' }, 'stays_silent'],
    ['over a way that the policy does not use', ['email'], { push: 'silent' }, 'may_ring'],
    ['mail that rang', ['push', 'email'], { push: 'silent', email: 'aloud' }, 'may_ring'],
  ])('%s: %j, %j', (_what, channels, rang, expected) => {
    const proofs = { provenAt: () => NOW, rang: (_id: string, channel: ChannelKind) => rang[channel] ?? null };
    const { findings } = judgePolicy(policy([anna(...channels)]), means(), NOW, proofs);
    const silent = findings.filter(({ code }) => code === 'stays_silent');
    expect(silent).toHaveLength(expected === 'stays_silent' ? 1 : 0);
  });

  test.each<[string, ChannelKind[], boolean, 'unsure_way' | 'sure']>([
    ['Signal alone', ['chat'], true, 'unsure_way'],
    ['Signal and a webhook, which tells nobody', ['chat', 'webhook'], true, 'unsure_way'],
    ['Signal and mail', ['chat', 'email'], true, 'sure'],
    ['another chat alone', ['chat'], false, 'sure'],
    ['mail alone', ['email'], true, 'sure'],
  ])('a way that must not be the only one: %s', (_what, channels, isUnsure, expected) => {
    const proofs = { provenAt: () => NOW, rang: () => null, isUnsure: () => isUnsure };
    const { findings } = judgePolicy(policy([anna(...channels)]), means(), NOW, proofs);
    const unsure = findings.filter(({ code }) => code === 'unsure_way');
    expect(unsure.map(({ severity }) => severity)).toEqual(expected === 'unsure_way' ? ['warns'] : []);
  });

  test('never keeps anything from going live, and is said of what is live alone', () => {
    const modes = MODES.map(mode => ({ mode, policy: judged(one, {}) }));
    const live = readinessOf(alarm({ modes }));
    expect(live.map(({ code }) => code)).toContain('never_proven');
    expect(live.filter(({ severity }) => severity === 'blocks')).toEqual([]);
    for (const but of [{ test: true }, { location: { ...alarm().location, test: true } }]) {
      expect(readinessOf(alarm({ modes, ...but })).map(({ code }) => code)).not.toContain('never_proven');
    }
  });
});
