import { Code, ConnectError } from '@connectrpc/connect';
import type { ChannelKind } from '../domain/delivery.ts';
import {
  CODE_GOOD_MS,
  CODES_OF_ACCOUNT,
  type GuessVerdict,
  MOST_GUESSES,
  type SendVerdict,
  UNVERIFIED_A_DAY,
} from '../domain/verification.ts';

/** RESOURCE_EXHAUSTED: no more codes for now, and when to come back. */
export function tooManyCodes({ of, retryAfterS }: Extract<SendVerdict, { kind: 'too_many' }>): ConnectError {
  const minutes = Math.ceil(retryAfterS / 60);
  const wait =
    minutes > 120 ? `${Math.ceil(minutes / 60)} hours` : minutes > 2 ? `${minutes} minutes` : `${retryAfterS} s`;
  return new ConnectError(`An address takes at most ${of}. Ask for another code in ${wait}.`, Code.ResourceExhausted);
}

/** RESOURCE_EXHAUSTED: an account sends so many codes at most, to whomever. */
export function tooManyOfAccount(retryAfterS: number): ConnectError {
  const message = `Too many codes: an account sends at most ${CODES_OF_ACCOUNT.most} a minute. Try again in ${retryAfterS} s.`;
  return new ConnectError(message, Code.ResourceExhausted);
}

/** RESOURCE_EXHAUSTED: an address that nobody has shown to be theirs takes no more today, whoever asks. */
export function addressLimit(on: { key: string; name: string; channel: ChannelKind; resetsAt: Date }): ConnectError {
  const { key, name, channel, resetsAt } = on;
  const { most, ofAccount } = UNVERIFIED_A_DAY;
  const until = `${resetsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const message =
    `address_limit: nobody has shown yet that the ${channel} of ${name} is theirs, and such an address takes ${most} drills and ` +
    `codes a day, ${ofAccount} of them from one account. No more go there until ${until}. Tell back a code that arrived ` +
    `(tocsin contacts verify ${key} ${channel}), or let the operator store the address.`;
  return new ConnectError(message, Code.ResourceExhausted);
}

/**
 * FAILED_PRECONDITION: why a code that was told back is not taken. The message begins with the verdict, for who reads no
 * sentences. `left`: how many guesses there are still.
 */
export function notTaken(
  verdict: Exclude<GuessVerdict, 'right'>,
  { name, channel, left }: { name: string; channel: ChannelKind; left: number },
): ConnectError {
  const whose = `the ${channel} of ${name}`;
  const sentences: Record<typeof verdict, string> = {
    wrong: `This is not the code that was sent to ${whose}. ${left} of ${MOST_GUESSES} guesses are left: look at the newest message.`,
    expired: `The code for ${whose} was good for ${CODE_GOOD_MS / 60_000} minutes, which are over: send a new one.`,
    none_sent: `No code was sent to ${whose} since its address was stored: send one first.`,
    too_many_guesses: `The code for ${whose} was guessed at ${MOST_GUESSES} times, and is worth nothing any more: send a new one.`,
  };
  return new ConnectError(`${verdict}: ${sentences[verdict]}`, Code.FailedPrecondition);
}
