import { createHash } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import type { TriggerPanicButtonRequest } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import type { Bus } from '../changes/bus.ts';
import type { Actor } from '../domain/actor.ts';
import { createHeldTurns } from '../limits/fair.ts';
import type { Kept } from '../limits/kept.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { PRESSES_MOST } from '../limits/table.ts';
import { createUnderWay } from '../limits/under-way.ts';
import { type AccountAccess, tooManyCalls } from '../rpc/auth.ts';
import { invalidField } from '../rpc/fields.ts';
import { say } from '../rpc/reader.ts';
import { isId } from '../store/id.ts';
import { findCalls } from '../store/statements/calls.ts';
import { callView } from './calls.ts';
import { outcomeOfOwnAction } from './own-action.ts';
import { isPressKnown, type Pressed, type PressedButton, readButton, storePress } from './statements/press.ts';

/** What pressing panic buttons needs. */
export interface PressOn {
  pool: Pool;
  /** Wakes whoever waits for the outcome. */
  bus: Bus;
  /** Notifies the engine of a stored press. */
  nudge(): void;
  /** What accounts may make the database keep. */
  kept: Kept;
  /** The limits of accounts. */
  limits: RateLimits;
}

/**
 * Creates what triggers a panic button as a person (DECISIONS.md "Pressed in the console"): judged as a call of /v1 and queued with the
 * actions of people, so in order with all calls of the button. The same press again triggers nothing more, unless the database lost it
 * in a failover: an action of a person is not stored again then, as a call is. Throws INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION
 * where it is off, RESOURCE_EXHAUSTED and UNAVAILABLE where calls in test find no room, and RESOURCE_EXHAUSTED where what stored nothing
 * was too much: what is stored is never limited.
 */
export function createPress(on: PressOn) {
  const turns = createHeldTurns(PRESSES_MOST.person);
  const waiting = createUnderWay();

  async function stored(accountId: string, actor: Actor, asked: TriggerPanicButtonRequest): Promise<Pressed> {
    const { panicButtonId, pressId } = asked;
    if (!isId(pressId)) throw counted(on.limits, accountId, invalidField('pressId', say().accepts.id, pressId));
    const button = await readButton(on.pool, accountId, panicButtonId);
    if (button === null) throw counted(on.limits, accountId, noSuchButton());
    const traceId = traceOf(accountId, button.id, pressId);
    const press: Pressed = { accountId, sourceId: button.id, traceId, actor: actor.name };
    if ((await isPressKnown(on.pool, press)) || (await store(on, press, button)) === 'known') {
      const refusal = counted(on.limits, accountId, null);
      if (refusal !== null) throw refusal;
    }
    return press;
  }

  /** Those that find no place are told that theirs is stored. */
  async function applied(press: Pressed, signal: AbortSignal): Promise<void> {
    using place = waiting.enter({ [press.accountId]: PRESSES_MOST.waiting });
    if (place === null) return;
    await outcomeOfOwnAction(on, { ...press, verb: 'trigger', incidentId: null }, { signal }).catch(stillWaits);
  }

  return async (
    { accountId, actor }: AccountAccess,
    asked: TriggerPanicButtonRequest,
    { signal }: { signal: AbortSignal },
  ) => {
    const by = `${accountId} ${actor.memberId ?? actor.tokenId}`;
    const press = await turns(by, () => stored(accountId, actor, asked));
    await applied(press, signal);
    const [call] = await turns(by, () => findCalls(on.pool, accountId, press.traceId));
    if (call === undefined) throw new Error(`The press ${press.traceId} was stored and is not among the calls.`);
    return { call: callView(call) };
  };
}

/** Counts what stored nothing as any other action of the account's consoles; gives what to answer. */
function counted<Refusal extends ConnectError | null>(limits: RateLimits, accountId: string, refusal: Refusal) {
  const isTooMany = limits.take({ of: `console of ${accountId}`, callClass: 'action', source: null }) === 'too_many';
  return isTooMany ? tooManyCalls() : refusal;
}

async function store(on: PressOn, press: Pressed, button: PressedButton): Promise<'stored' | 'known'> {
  const { name, standing, environment } = button;
  if (standing !== 'enabled') throw counted(on.limits, press.accountId, off(name, standing));
  if (environment === 'test') takeRoom(on.kept, press.accountId);
  const is = await storePress(on.pool, press);
  if (is === 'stored') on.nudge();
  else if (environment === 'test') on.kept.giveBack(press.accountId, 'test');
  if (is === 'refused') throw counted(on.limits, press.accountId, off(name, 'disabled'));
  return is;
}

function noSuchButton(): ConnectError {
  return new ConnectError(say().refusals.noSuch('panic_button', ''), Code.NotFound);
}

/** As of any call to what is in test (engine/accept/accept.ts); what is live is always stored. */
function takeRoom(kept: Kept, accountId: string): void {
  const room = kept.take(accountId, 'test');
  if (room === 'disk_low') throw new ConnectError(say().refusals.diskLow, Code.Unavailable);
  if (room === 'too_much') throw tooManyCalls(kept.growsBackS(accountId, 'test'));
}

function off(name: string, standing: 'disabled' | 'deactivated'): ConnectError {
  return new ConnectError(say().refusals.buttonIsOff(name, standing), Code.FailedPrecondition);
}

/** Whoever pressed is told that it is stored, as a 202 says. */
function stillWaits(error: unknown): void {
  if (!(error instanceof ConnectError) || error.code !== Code.DeadlineExceeded) throw error;
}

/** A UUID that no press of another button can have, whatever its caller chose as `pressId`. */
function traceOf(accountId: string, buttonId: string, pressId: string): string {
  const digits = createHash('sha256').update(`press ${accountId} ${buttonId} ${pressId}`).digest('hex');
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join('-');
}
