import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Asker, type CodesSent, type CountedFor, oneMoreCode } from '../domain/sign-in.ts';
import { CODE_GOOD_MS, withThisOne } from '../domain/verification.ts';
import { networkOf } from '../process/network.ts';
import { signInCodes } from '../rpc/metrics.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import { inTransaction } from '../store/statement.ts';
import {
  type AskerKnown,
  askerDigest,
  countSent,
  keepSignInCode,
  lockAskers,
  personOf,
  readReader,
  readSessionAddresses,
  signInCodeDigests,
} from '../store/statements/sign-in.ts';
import { addressedToMember, type MemberMailOn } from './member-mail.ts';

/** What sending sign-in codes needs. */
export interface CodeMailOn extends MemberMailOn {
  pool: Pool;
  /** KEY_PEPPER, under which emails and codes are digested. */
  pepper: Pepper;
  seal: Seal;
  log: Logger;
}

/** Whose code is asked for, by whom, and in which language (BCP 47). */
export interface CodeAsked {
  email: string;
  locale: string;
  /** The network address of who asks. */
  address: string;
  /** The id of their browser (browser.ts); empty: none. */
  browser: string;
}

/**
 * How many codes are created and sent at once, and how many requests may wait for that; further ones are dropped, and
 * people ask again.
 */
const AT_ONCE = 10;
const WAITING_MOST = 1_000;

/**
 * Sends codes after their callers have their answer, so that the answer and its timing are the same for an unknown
 * address (DECISIONS.md "Sign-in"). Waiting requests are lost with the process: whoever gets no code asks again.
 */
export function createCodeMail(deps: CodeMailOn) {
  const waiting: CodeAsked[] = [];

  async function sendSafely(asked: CodeAsked): Promise<void> {
    try {
      await sendSignInCode(deps, asked);
    } catch (error) {
      deps.log.error({ err: error }, 'a sign-in code could not be sent');
    }
  }

  return {
    ask(asked: CodeAsked): void {
      if (waiting.length < WAITING_MOST) return void waiting.push(asked);
      signInCodes.inc({ outcome: 'dropped' });
      deps.log.warn('too many sign-in codes are requested: one request was dropped');
    },
    /** The look function of a loop. */
    async look(): Promise<'now' | { inMs: number }> {
      await Promise.all(waiting.splice(0, AT_ONCE).map(sendSafely));
      return waiting.length > 0 ? 'now' : { inMs: Number.POSITIVE_INFINITY };
    },
  };
}

async function sendSignInCode(deps: CodeMailOn, asked: CodeAsked): Promise<void> {
  const person = await personOf(deps.pool, deps.pepper, asked.email);
  const made = await makeSignInCode(deps, person, asked);
  signInCodes.inc({ outcome: typeof made === 'string' ? made : 'sent' });
  if (typeof made === 'string') return;
  const { code, reader } = made;
  await deps.email.send(deps.seal.open(reader.email), {
    ...addressedToMember({ ...reader, locale: asked.locale }, reader.now.getTime()),
    purpose: 'sign_in',
    code,
  });
}

/**
 * Stores a new code for a person before it is sent. It is good in the browser that asked for it, so that nobody else can
 * replace it or use up its guesses. `nobody`: they are not a member anywhere.
 */
function makeSignInCode({ pool, pepper }: CodeMailOn, person: Buffer, from: CodeAsked) {
  const askers: Readonly<Record<CountedFor, Buffer>> = {
    browser: askerDigest(pepper, 'browser', from.browser),
    network: askerDigest(pepper, 'network', networkOf(from.address, 24)),
    strangers: askerDigest(pepper, 'strangers'),
  };
  return inTransaction(pool, async client => {
    const reader = await readReader(client, person);
    if (reader === null) return 'nobody' as const;
    const known = await lockAskers(client, person, Object.values(askers), askers.strangers);
    const sent = sentBy(Object.keys(askers) as CountedFor[], known);
    const now = reader.now.getTime();
    const asker = askerOf(from, known[0]!, await readSessionAddresses(client, person));
    const counted = oneMoreCode(asker, sent, now);
    if (counted === null) return 'too_many' as const;
    const code = randomInt(1_000_000).toString().padStart(6, '0');
    await keepSignInCode(client, person, askers.browser, {
      digest: signInCodeDigests(pepper, person, code)[0]!,
      expiresAt: new Date(now + CODE_GOOD_MS),
    });
    for (const one of counted) {
      const times = withThisOne(sent[one], now).map(at => new Date(at));
      await countSent(client, person, askers[one], times);
    }
    return { code, reader };
  });
}

function sentBy(names: readonly CountedFor[], known: readonly AskerKnown[]): CodesSent {
  const sent = names.map((name, nth) => [name, known[nth]!.sent.map(at => at.getTime())]);
  return Object.fromEntries(sent) as CodesSent;
}

/** `addresses`: where the sessions of this person were last used. */
function askerOf({ browser, address }: CodeAsked, known: AskerKnown, addresses: readonly string[]): Asker {
  if (browser !== '' && known.standing === 'signed_in_before') return 'known_browser';
  const network = networkOf(address, 24);
  return addresses.some(one => networkOf(one, 24) === network) ? 'known_network' : 'stranger';
}
