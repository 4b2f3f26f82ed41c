import type { ChannelKind } from '../../../domain/delivery.ts';
import {
  CODE_GOOD_MS,
  CODES_OF_ACCOUNT,
  type GuessVerdict,
  MOST_GUESSES,
  type SendVerdict,
  UNVERIFIED_A_DAY,
} from '../../../domain/verification.ts';

/** Why no code is sent, and why one is not accepted. */
export const codes = { tooMany: tooManyCodes, tooManyOfAccount, addressLimit, notVerified };

/** Says that an address takes no more codes for now, and when to come back. */
function tooManyCodes({ most, per, retryAfterS }: Extract<SendVerdict, { kind: 'too_many' }>): string {
  const minutes = Math.ceil(retryAfterS / 60);
  const wait =
    minutes > 120 ? `${Math.ceil(minutes / 60)} hours` : minutes > 2 ? `${minutes} minutes` : `${retryAfterS} s`;
  return `Too many codes: an address takes at most ${most} per ${per}. Ask for another code in ${wait}.`;
}

/** Says that an account sends so many codes at most, to whomever. */
function tooManyOfAccount(retryAfterS: number): string {
  return `Too many codes: an account sends at most ${CODES_OF_ACCOUNT.most} per minute. Try again in ${retryAfterS} s.`;
}

/** Says that an address that nobody has shown to be theirs takes no more today, whoever asks. Begins with its code. */
function addressLimit(on: { key: string; name: string; channel: ChannelKind; resetsAt: Date }): string {
  const { key, name, channel, resetsAt } = on;
  const { most, ofAccount } = UNVERIFIED_A_DAY;
  const until = `${resetsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return (
    `address_limit: the ${channel} of ${name} is not verified, and an unverified address takes ${most} drills and ` +
    `codes per day, ${ofAccount} of them from one account. The limit resets at ${until}. Enter a code that arrived ` +
    `(tocsin contacts verify ${key} ${channel}), or ask the operator to store the address.`
  );
}

/** Says why a code is not accepted. Begins with the verdict, for who reads no sentences. `left`: how many guesses are left. */
function notVerified(
  verdict: Exclude<GuessVerdict, 'right'>,
  { name, channel, left }: { name: string; channel: ChannelKind; left: number },
): string {
  const whose = `the ${channel} of ${name}`;
  const sentences: Record<typeof verdict, string> = {
    wrong: `This is not the code that was sent to ${whose}. ${left} of ${MOST_GUESSES} attempts left: check the newest message.`,
    expired: `The code for ${whose} expired after ${CODE_GOOD_MS / 60_000} minutes: send a new one.`,
    none_sent: `No code has been sent to ${whose} since its address was stored: send one first.`,
    too_many_guesses: `The code for ${whose} is void after ${MOST_GUESSES} wrong attempts: send a new one.`,
  };
  return `${verdict}: ${sentences[verdict]}`;
}
