import { describe, expect, test } from 'vitest';
import { isSameNumber, readReply } from '../../services/domain/reply.ts';
import { newReplyCode } from '../../services/store/id.ts';

describe('a reply to a text (DECISIONS.md "Acknowledge")', () => {
  test.each([
    'BCDF',
    'bcdf',
    ' ok BCDF',
    '1 BCDF',
    'BCDF.',
    'Ja, bcdf!',
    'ack\nBCDF\n',
    'ok ok 1 BcDf',
  ])('%j acknowledges the incident with the code BCDF', text =>
    expect(readReply(text)).toEqual({ kind: 'acknowledge', code: 'BCDF' }));

  test.each(['STOP', 'stop', 'Stopp', ' unsubscribe ', 'STOP BCDF', 'END', 'cancel'])('%j is an opt-out', text => {
    expect(readReply(text)).toEqual({ kind: 'opt_out' });
  });

  test.each([
    '',
    'ok',
    '1',
    'not BCDF',
    'BCDF I cannot come',
    'BCDF GHJK',
    'BCD',
    'BCDFG',
    'B C D F',
    'HELP',
    'BCD1',
    'BCDF'.repeat(100),
    `${' '.repeat(200)}BCDF`,
    'bсdf with a Cyrillic letter',
    '\u202eFDCB\u202e x',
    '<Say>BCDF</Say>',
    '{{code}}',
  ])('%j is not understood: nothing may stop an escalation by mistake', text => {
    expect(readReply(text)).toEqual({ kind: 'not_understood' });
  });

  test('every code that is made is read, in both letter cases', () => {
    for (let n = 0; n < 1_000; n++) {
      const code = newReplyCode();
      expect(readReply(code)).toEqual({ kind: 'acknowledge', code });
      expect(readReply(`ok ${code.toLowerCase()}`)).toEqual({ kind: 'acknowledge', code });
    }
  });
});

describe('telephone numbers', () => {
  test.each([
    '+436601234567',
    '+43 660 1234567',
    '0043 660 1234567',
    '+43-660-123 45 67',
    '+43 (660) 1234567',
  ])('%j is +436601234567', number => expect(isSameNumber(number, '+436601234567')).toBe(true));

  test.each(['+436601234568', '+43660123456', '6601234567', '', 'anna@example.com'])('%j is not', number => {
    expect(isSameNumber(number, '+436601234567')).toBe(false);
  });

  test.each(['+52 1 55 1234 5678', '+525512345678', '00525512345678'])('%j is the same number in Mexico', number => {
    expect(isSameNumber(number, '+5215512345678')).toBe(true);
    expect(isSameNumber(number, '+525512345678')).toBe(true);
    expect(isSameNumber(number, '+5215512345679')).toBe(false);
  });

  test('nothing is nobody’s number', () => expect(isSameNumber('', '')).toBe(false));
});
