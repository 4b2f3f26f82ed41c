import { describe, expect, test } from 'vitest';
import type { PolicyNow } from '../../services/domain/duty-told.ts';
import type { ContactCopy } from '../../services/domain/escalation.ts';
import type { ModeId } from '../../services/domain/mode.ts';
import { summaryOf, type TonightOn, type TonightSource, tonight } from '../../services/domain/tonight.ts';
import { de } from '../../services/words/de.ts';
import { en } from '../../services/words/en.ts';
import { means, NOW, person, policy } from './readiness-rig.ts';

/* DECISIONS.md "Tonight": one sentence that says who would be told, since when that is proven, and what is in the way. */

const DAY_MS = 86_400_000;
const anna = person('Anna', ['call']);
const noah = person('Noah', ['text']);
const HOME = { id: 'home', name: 'Home', test: false };

function alarm(over: Partial<TonightSource> = {}): TonightSource {
  return {
    id: 'house',
    name: 'House',
    kind: 'alarm',
    test: false,
    off: false,
    armedMode: null,
    policyId: null,
    modes: [mode('away'), mode('night')],
    location: HOME,
    findings: [],
    ...over,
  };
}

function mode(id: ModeId, policyId: string | null = 'first', windowS = 0) {
  return { id, policyId, windowS };
}

function on(over: Partial<TonightOn> & { proven?: Record<string, number> } = {}): TonightOn {
  const { proven = {}, ...rest } = over;
  const provenAt = (contactId: string) => (contactId in proven ? NOW - proven[contactId]! * DAY_MS : null);
  const policies = new Map<string, PolicyNow>([['first', steps([anna, 0], [noah, 300])]]);
  return { at: NOW, policies, means: means(), senders: [], provenAt, ...rest };
}

/** A policy of these people, each so many seconds after the one before. */
function steps(...told: [ContactCopy, number][]): PolicyNow {
  return { ...policy([]), steps: told.map(([contact, delayS]) => ({ delayS, contacts: [contact] })) };
}

const said = (sources: readonly TonightSource[], known = on(), words = en) => {
  const summary = summaryOf(tonight(sources, known), known.at);
  const { title, text } = words.owner.tonight;
  return `${title('Tonight', summary)} ${text(summary, () => '14:02')}`;
};
const verdict = (sources: readonly TonightSource[], known = on()) => {
  const { verdict, reason } = tonight(sources, known);
  return reason === null ? verdict : `${verdict}: ${reason}`;
};

const BOTH = { [anna.id]: 12, [noah.id]: 29 };

describe('the sentence', () => {
  test.each<[string, TonightSource[], TonightOn, string]>([
    [
      'who is told when, both proven, every sender alive',
      [alarm()],
      on({ proven: BOTH, senders: [{ keyId: 'k', label: 'Door', silentSince: null }] }),
      'Tonight: Anna by call at once, Noah by text after 5 min. Both proven within 29 days. 1 of 1 senders alive.',
    ],
    [
      'somebody who was never proven',
      [alarm()],
      on({ proven: { [anna.id]: 12 } }),
      'Tonight: Anna by call at once, Noah by text after 5 min. Noah has never been proven.',
    ],
    [
      'a sender that is silent',
      [alarm()],
      on({ proven: BOTH, senders: [{ keyId: 'k', label: 'Door', silentSince: 1 }] }),
      'Tonight: Anna by call at once, Noah by text after 5 min. Door is silent since 14:02. Both proven within 29 days.',
    ],
    [
      'two places that tell different people',
      [
        alarm(),
        alarm({ id: 'b', location: { ...HOME, id: 'cabin', name: 'Cabin' }, modes: [mode('night', 'second')] }),
      ],
      on({
        proven: BOTH,
        policies: new Map([
          ['first', steps([anna, 0])],
          ['second', steps([noah, 0])],
        ]),
      }),
      'Tonight: Anna by call at once at Home; Noah by text at once at Cabin. Both proven within 29 days.',
    ],
    [
      'nobody, where the mode for the night has no policy',
      [alarm({ modes: [mode('away'), mode('night', null)] })],
      on(),
      'Tonight: nobody would be told if House goes off in night mode. Below is what is in the way.',
    ],
    [
      'nothing live',
      [alarm({ test: true })],
      on(),
      'House is still in test. A trigger is only recorded, and nobody is alerted. Rehearse, then go live.',
    ],
    [
      'nothing on',
      [alarm({ off: true })],
      on(),
      'Nothing is set up yet. Your first alarm takes ten minutes, and nobody is woken up while you try it.',
    ],
  ])('%s', (_, sources, known, sentence) => {
    expect(said(sources, known)).toBe(sentence);
    expect(said(sources, known, de)).not.toBe(sentence);
    expect(said(sources, known, de)).not.toMatch(/undefined|null|NaN/);
  });

  test('many people and places are told by their number', () => {
    const people = ['Ann', 'Ben', 'Cem', 'Dan', 'Eve'].map((name): [ContactCopy, number] => [
      person(name, ['call']),
      0,
    ]);
    const policies = new Map(['a', 'b', 'c', 'd'].map((id, nth) => [id, steps(...people.slice(nth))]));
    const sources = [...policies.keys()].map(id =>
      alarm({ id, location: { ...HOME, id, name: `House ${id}` }, modes: [mode('night', id)] }),
    );
    expect(said(sources, on({ policies }))).toContain('Ann, Ben and Cem by call at once and 2 more at House a;');
    expect(said(sources, on({ policies }))).toContain('; and 2 more below.');
  });
});

describe('the mode that counts', () => {
  const line = (source: TonightSource) => tonight([source], on()).places[0]!.lines[0]!;
  test('an armed alarm: that one; else night, or the first of away, home, vacation that it has; panic buttons need none', () => {
    expect(line(alarm({ armedMode: 'away' }))).toMatchObject({ mode: 'away', standing: 'armed' });
    expect(line(alarm())).toMatchObject({ mode: 'night', standing: 'if_armed' });
    expect(line(alarm({ modes: [mode('vacation'), mode('home')] }))).toMatchObject({
      mode: 'home',
      standing: 'if_armed',
    });
    const button = { kind: 'panic_button', policyId: 'first', modes: [] } as const;
    expect(line(alarm(button))).toMatchObject({
      mode: null,
      standing: 'always',
      people: [{ name: 'Anna' }, { name: 'Noah' }],
    });
  });

  test('a false-alarm window puts everybody off, and those who do the same stand together', () => {
    const windowed = alarm({ id: 'b', name: 'Barn', modes: [mode('night', 'first', 30)] });
    const [place] = tonight([alarm(), alarm({ id: 'c', name: 'Shed' }), windowed], on()).places;
    expect(place!.lines.map(({ sources, people }) => [sources.map(({ name }) => name), people[0]!.afterS])).toEqual([
      [['House', 'Shed'], 0],
      [['Barn'], 30],
    ]);
  });
});

describe('the verdict', () => {
  const warns = { code: 'only_one_person', severity: 'warns', mode: null } as const;
  test.each<[string, TonightSource[], TonightOn, string]>([
    ['all is well', [alarm()], on({ proven: BOTH }), 'fine'],
    ['proofs of 46 days still count', [alarm()], on({ proven: { [anna.id]: 46, [noah.id]: 46 } }), 'fine'],
    ['nobody is proven', [alarm()], on(), 'doubtful: not_proven'],
    ['the first was proven 91 days ago', [alarm()], on({ proven: { ...BOTH, [anna.id]: 91 } }), 'doubtful: not_proven'],
    ['only the second is not proven', [alarm()], on({ proven: { [anna.id]: 1 } }), 'fine'],
    ['a warning', [alarm({ findings: [warns] })], on({ proven: BOTH }), 'doubtful: finding_warns'],
    [
      'a warning about a mode that does not count',
      [alarm({ findings: [{ ...warns, mode: 'home' }] })],
      on({ proven: BOTH }),
      'fine',
    ],
    [
      'what blocks the mode that counts',
      [alarm({ findings: [{ ...warns, severity: 'blocks', mode: 'night' }] })],
      on({ proven: BOTH }),
      'blocked: finding_blocks',
    ],
    [
      'nobody told by one of two',
      [alarm(), alarm({ id: 'b', modes: [] })],
      on({ proven: BOTH }),
      'blocked: nobody_told',
    ],
    [
      'what is in test blocks nothing',
      [alarm(), alarm({ id: 'b', test: true, modes: [] })],
      on({ proven: BOTH }),
      'fine',
    ],
    ['nothing live', [alarm({ location: { ...HOME, test: true } })], on(), 'in_test'],
    ['nothing at all', [], on(), 'nothing'],
  ])('%s', (_, sources, known, expected) => {
    expect(verdict(sources, known)).toBe(expected);
  });
});
