import type { ChannelKind } from './vocabulary.ts';

/** Signs that nobody sees and that come along when an address is pasted: direction marks, joiners, soft hyphens, a BOM. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** What people put between the digits of a number: blanks of any kind, hyphens and dashes, dots, slashes. */
const BETWEEN_DIGITS = /[\s.\-\u2010-\u2015\u2212/]/g;

/** Country codes whose numbers keep the 0 that others leave out: Italy, San Marino, the Vatican. */
const KEEPS_ZERO = /^\+(39|378|379)/;

/**
 * Returns an address as it is stored, from what somebody typed or pasted: without invisible signs, and a phone number in E.164
 * where what was typed can mean one number only (DECISIONS.md "Contact"). What can mean several stays as it is, for the field to
 * refuse.
 */
export function addressFrom(channel: ChannelKind, typed: string): string {
  const visible = plainText(typed);
  return channel === 'text' || channel === 'call' ? phoneNumberFrom(visible) : visible;
}

/** Removes what nobody sees, at the ends blanks too. */
export function plainText(typed: string): string {
  return typed.replaceAll(INVISIBLE, '').trim();
}

/** `00` is how most of the world dials a plus; `(0)` is the 0 that is dialled within the country alone. */
function phoneNumberFrom(typed: string): string {
  const together = typed
    .normalize('NFKC')
    .replaceAll(BETWEEN_DIGITS, '')
    .replace(/^00(?=[1-9])/, '+');
  const whole = KEEPS_ZERO.test(together) ? together : together.replace('(0)', '');
  // A pair of brackets around an area code; with anything else in them it is no number.
  const number = whole.replace(/\(([1-9]\d*)\)/, '$1');
  return /^\+\d+$/.test(number) ? number : typed;
}
