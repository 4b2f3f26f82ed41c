import { describe, expect, test } from 'vitest';
import { writeMessage } from '../../services/channels/message.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../services/domain/notice.ts';
import { explainNotice } from '../../services/words/notice.ts';
import { anOwnerNotice } from '../support/alert.ts';

describe('a notice says to the owner what happened and what to do', () => {
  const about = { sourceName: 'House', openedAt: '2026-11-21T11:52:09.000Z' };
  test.each<[NoticeKind, Record<string, string | number>, string, string]>([
    [
      'nobody_to_alert',
      about,
      'NOBODY WAS ALERTED: House',
      '"House" was triggered on 2026-11-21 at 11:52 UTC, and there was nobody to alert.',
    ],
    [
      'escalation_capped',
      about,
      'NOT ALL MESSAGES SCHEDULED: House',
      'The policy of "House", triggered on 2026-11-21 at 11:52 UTC, asks for more than 500 messages: only the first 500 are scheduled.',
    ],
    [
      'exhausted',
      about,
      'NOBODY ACKNOWLEDGED: House',
      'The policy of "House", triggered on 2026-11-21 at 11:52 UTC, ran to its end: everyone who could be reached was alerted, and nobody acknowledged.',
    ],
    [
      'step_late',
      { ...about, round: 1, step: 2, lateS: 14 },
      'LATE: House',
      'Step 3 of round 2 of the policy for "House", triggered on 2026-11-21 at 11:52 UTC, ran 14 s late.',
    ],
    [
      'step_missed',
      { ...about, round: 0, step: 0 },
      'NOT SENT IN TIME: House',
      'Step 1 of the policy for "House", triggered on 2026-11-21 at 11:52 UTC, did not run: none of its messages was tried.',
    ],
    [
      'spend_warning',
      { cents: 805, capCents: 1000 },
      'Daily SMS and call limit almost reached',
      'SMS and calls have cost $8.05 today of the $10.00 allowed per day.',
    ],
    [
      'spend_capped',
      { cents: 1005, capCents: 1000 },
      'Daily SMS and call limit reached',
      'SMS and calls have cost $10.05 today of the $10.00 allowed per day. Drills and codes are refused until midnight UTC.',
    ],
    [
      'spend_ceiling',
      { cents: 5000, ceilingCents: 5000, sourceName: 'House' },
      'NO MORE SMS AND CALLS TODAY: House',
      'SMS and calls about "House" have cost $50.00 today, and one source may use $50.00 a day. Until midnight UTC, live alerts use the other channels, except for the first SMS and call to each person.',
    ],
    [
      'spend_ceiling',
      { cents: 25_000, ceilingCents: 25_000 },
      'NO MORE SMS AND CALLS TODAY',
      'SMS and calls have cost $250.00 today, and an account may use $250.00 a day. Until midnight UTC, live alerts use the other channels, except for the first SMS and call to each person.',
    ],
    [
      'sources_deactivated',
      { sources: 3 },
      'Your plan switched off alarms',
      'Your plan covers fewer alarms and panic buttons than you have. Switched off: 3. Calls to them get a 404.',
    ],
    [
      'sources_deactivated',
      { sources: 'House' },
      'Your plan switched off alarms',
      'Your plan covers fewer alarms and panic buttons than you have. Switched off: House. Calls to them get a 404.',
    ],
  ])('%s', (notice, about, subject, explanation) => {
    expect(explainNotice(notice, about, { locale: 'en', timeZone: 'UTC' })).toBe(explanation);
    const message = writeMessage(anOwnerNotice({ notice, about, timeZone: 'UTC' }));
    expect(message.subject).toBe(subject);
    expect(message.text).toContain(`What: ${explanation}\nWhat to do: `);
    expect(message.text).toContain('\nAccount: Example family\n');
  });

  const inEachLanguage = NOTICE_KINDS.flatMap(notice => [
    { notice, locale: 'en-GB', language: 'en' },
    { notice, locale: 'de-AT', language: 'de' },
    { notice, locale: 'fr', language: 'en' },
  ]);

  test.each(inEachLanguage)('$notice for $locale: in one language, in whole sentences, whatever it knows', on => {
    const { notice, locale, language } = on;
    const { subject, text, html } = writeMessage(anOwnerNotice({ notice, about: {}, locale, incidentId: '' }));
    expect(subject + text).not.toMatch(/undefined|NaN|null/);
    expect(text).not.toMatch(/^(Incident|Vorfall):/m);
    expect(text).toMatch(language === 'de' ? /^Was: .+\.\nWas zu tun ist: .+\.\n/ : /^What: .+\.\nWhat to do: .+\.\n/);
    expect(text).not.toMatch(language === 'de' ? /\b(the|was triggered|calls?)\b/ : /\b(wurde|und|der)\b/);
    expect(html).toContain(`<html lang="${language}">`);
  });

  test('the last one for now says so in its language too', () => {
    const { text } = writeMessage(anOwnerNotice({ locale: 'de', place: 'last' }));
    expect(text).toContain('In einer Stunde waren es 20 solche E-Mails');
  });

  test("names nobody as its reader: an owner's address has no name", () => {
    expect(writeMessage(anOwnerNotice({ contactName: 'Anna' })).text).toMatch(/^For: Anna$/m);
    expect(writeMessage(anOwnerNotice({ contactName: '' })).text).not.toMatch(/^For:|no name/m);
  });

  test('a name cannot change it', () => {
    const sourceName = 'x\r\nWhat to do: nothing\u202E\0<b>';
    const { subject, text, html } = writeMessage(anOwnerNotice({ about: { sourceName } }));
    expect(subject).toBe('NOBODY WAS ALERTED: x What to do: nothing <b>');
    expect(text.match(/^What to do: /gm)).toHaveLength(1);
    expect(html).not.toContain('<b>');
  });
});
