/** What somebody wrote to the number from which texts are sent. `opt_out`: to have no more texts, which is between them and the carrier. */
export type Reply = { kind: 'take'; code: string } | { kind: 'opt_out' } | { kind: 'not_understood' };

/** As newReplyCode (store/id.ts) makes them: no vowels, so that no word of a language is one. */
const CODE = /^[BCDFGHJKMNPQRTVWXYZ2346789]{4}$/;

/** What may stand beside the code. Nothing else may: "not BCDF" must not stop an escalation. */
const FILLERS: ReadonlySet<string> = new Set(['OK', 'OKAY', 'YES', 'JA', 'ACK', 'ACKNOWLEDGE', 'TAKE', '1']);

/** What carriers take as an end, in the languages of our texts: they act on it themselves and want it not answered. */
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

/** How many texts go back to one number: two machines that answer each other would go on for ever, and each text costs. */
export const WRITTEN_BACK = { most: 5, withinMs: 10 * 60_000 } as const;

/** How many texts go back to whoever wrote nothing that counts, all together: numbers are cheap, and who pays is not who writes. */
export const STRANGERS_WRITTEN_BACK = { most: 60, withinMs: 60 * 60_000 } as const;

/** Longer ones were not written in answer to an alarm, in characters. */
const LONGEST = 100;

/**
 * Reads a reply to a text (DECISIONS.md "Acknowledge"): the code of the incident, in any letter case, alone or with a word
 * of agreement. Gives the code in capitals.
 */
export function readReply(text: string): Reply {
  const words = text.length > LONGEST ? [] : (text.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  if (words[0] !== undefined && OPT_OUT.has(words[0])) return { kind: 'opt_out' };
  const [code, ...more] = words.filter(word => !FILLERS.has(word));
  if (code === undefined || more.length > 0 || !CODE.test(code)) return { kind: 'not_understood' };
  return { kind: 'take', code };
}

/** Whether two ways of writing a telephone number are the same one: `+43 660 1234567` and `0043-660-1234567` are. */
export function isSameNumber(one: string, other: string): boolean {
  const [a, b] = [digitsOf(one), digitsOf(other)];
  return a !== '' && a === b;
}

function digitsOf(number: string): string {
  return number.replace(/^\s*00/, '+').replace(/[^\d]/g, '');
}
