import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { CODE_GOOD_MS, maySend, withThisOne } from '../domain/verification.ts';
import type { Seal } from '../store/seal.ts';
import { inTransaction } from '../store/statement.ts';
import { keepSignInCode, lockSent, personDigest, readReader, signInCodeDigest } from '../store/statements/sign-in.ts';
import { addressedToMember, type MemberMailOn } from './member-mail.ts';

/** What sending sign-in codes needs. */
export interface CodeMailOn extends MemberMailOn {
  pool: Pool;
  /** KEY_PEPPER, under which emails and codes are digested. */
  pepper: string;
  seal: Seal;
  log: Logger;
}

/** Who asked for a code, and in which language (BCP 47). */
export interface CodeAsked {
  email: string;
  locale: string;
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
export function createCodeMail(on: CodeMailOn) {
  const waiting: CodeAsked[] = [];

  async function sendSafely(asked: CodeAsked): Promise<void> {
    try {
      await sendSignInCode(on, asked);
    } catch (error) {
      on.log.error({ err: error }, 'a sign-in code could not be sent');
    }
  }

  return {
    ask(asked: CodeAsked): void {
      if (waiting.length < WAITING_MOST) waiting.push(asked);
      else on.log.warn('too many sign-in codes are requested: one request was dropped');
    },
    /** The look function of a loop. */
    async look(): Promise<'now' | { inMs: number }> {
      await Promise.all(waiting.splice(0, AT_ONCE).map(sendSafely));
      return waiting.length > 0 ? 'now' : { inMs: Number.POSITIVE_INFINITY };
    },
  };
}

async function sendSignInCode(on: CodeMailOn, { email, locale }: CodeAsked): Promise<void> {
  const made = await makeSignInCode(on, personDigest(on.pepper, email));
  if (made === null) return;
  const { code, reader } = made;
  await on.email.send(on.seal.open(reader.email), {
    ...addressedToMember({ ...reader, locale }, reader.now.getTime()),
    purpose: 'sign_in',
    code,
  });
}

/**
 * Stores a new code for a person before it is sent; null if they are not a member anywhere, or may get no more codes
 * for now.
 */
function makeSignInCode({ pool, pepper }: CodeMailOn, person: Buffer) {
  return inTransaction(pool, async client => {
    const reader = await readReader(client, person);
    if (reader === null) return null;
    const sent = (await lockSent(client, person)).map(at => at.getTime());
    const now = reader.now.getTime();
    if (maySend(sent, now).kind === 'too_many') return null;
    const code = randomInt(1_000_000).toString().padStart(6, '0');
    await keepSignInCode(client, person, {
      digest: signInCodeDigest(pepper, person, code),
      expiresAt: new Date(now + CODE_GOOD_MS),
      sent: withThisOne(sent, now).map(at => new Date(at)),
    });
    return { code, reader };
  });
}
