/**
 * What somebody sent to the number from which we send SMS. `opt_out`: a request for no more SMS, which is between them
 * and the carrier.
 */
export type Reply = { kind: 'acknowledge'; code: string } | { kind: 'opt_out' } | { kind: 'not_understood' };

/** Made by newReplyCode (store/id.ts): no vowels, so that no code is a word of a language. */
const CODE = /^[BCDFGHJKMNPQRTVWXYZ2346789]{4}$/;

/** What may accompany the code. Nothing else may: "not BCDF" must not stop an escalation. */
const FILLERS: ReadonlySet<string> = new Set(['OK', 'OKAY', 'YES', 'JA', 'ACK', 'ACKNOWLEDGE', 'TAKE', '1']);

/**
 * Words that carriers treat as opt-out in the languages of our texts. Carriers act on them themselves and want no
 * answer.
 */
const OPT_OUT: ReadonlySet<string> = new Set([
  'STOP',
  'STOPP',
  'STOPALL',
  'UNSUBSCRIBE',
  'OPTOUT',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'ABMELDEN',
]);

/** How many SMS go back to one number: two machines answering each other would never stop, and each SMS costs money. */
export const WRITTEN_BACK = { most: 5, withinMs: 10 * 60_000 } as const;

/**
 * How many SMS go back, in all, to numbers whose message did not count: numbers are cheap to get, and the deployment
 * pays.
 */
export const STRANGERS_WRITTEN_BACK = { most: 60, withinMs: 60 * 60_000 } as const;

/** In characters. Anything longer was not written in answer to an alarm. */
const LONGEST = 100;

/**
 * Reads a reply to an SMS (DECISIONS.md "Acknowledge"): the code of the incident, in any letter case, alone or with a
 * word of agreement. Returns the code in capitals.
 */
export function readReply(text: string): Reply {
  const words = text.length > LONGEST ? [] : (text.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  if (words[0] !== undefined && OPT_OUT.has(words[0])) return { kind: 'opt_out' };
  const [code, ...more] = words.filter(word => !FILLERS.has(word));
  if (code === undefined || more.length > 0 || !CODE.test(code)) return { kind: 'not_understood' };
  return { kind: 'acknowledge', code };
}

/**
 * Tells whether two notations of a telephone number mean the same one, such as `+43 660 1234567` and
 * `0043-660-1234567`. Mexican mobile numbers are written with a 1 behind their country code, and since 2019 without it.
 */
export function isSameNumber(one: string, other: string): boolean {
  const [a, b] = [digitsOf(one), digitsOf(other)];
  return a !== '' && a === b;
}

function digitsOf(number: string): string {
  return number
    .replace(/^\s*00/, '')
    .replace(/\D/g, '')
    .replace(/^521(?=\d{10}$)/, '52');
}
