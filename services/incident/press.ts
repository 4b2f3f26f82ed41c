import { createHash } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import type { TriggerPanicButtonRequest } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import type { Bus } from '../changes/bus.ts';
import type { Kept } from '../limits/kept.ts';
import { createSlowdown } from '../limits/slowdown.ts';
import { PRESSED } from '../limits/table.ts';
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
}

/**
 * Creates what triggers a panic button as a person (DECISIONS.md "Pressed in the console"): judged as a call of /v1 and queued with the
 * actions of people, so in order with all calls of the button. The same press again triggers nothing more. Throws INVALID_ARGUMENT,
 * NOT_FOUND, FAILED_PRECONDITION where it is off, RESOURCE_EXHAUSTED and UNAVAILABLE where calls in test find no room.
 */
export function createPress(on: PressOn) {
  const pace = createSlowdown(PRESSED);
  return async (
    { accountId, actor }: AccountAccess,
    { panicButtonId, pressId }: TriggerPanicButtonRequest,
    { signal }: { signal: AbortSignal },
  ) => {
    if (!isId(pressId)) throw invalidField('pressId', say().accepts.id, pressId);
    const button = await readButton(on.pool, accountId, panicButtonId);
    if (button === null) throw new ConnectError(say().refusals.noSuch('panic_button', ''), Code.NotFound);
    const traceId = traceOf(accountId, button.id, pressId);
    const press: Pressed = { accountId, sourceId: button.id, traceId, actor: actor.name };
    if (!(await isPressKnown(on.pool, press))) await store(on, press, button);
    await outcomeOfOwnAction(
      on,
      { accountId, sourceId: button.id, verb: 'trigger', traceId, incidentId: null, actor: actor.name },
      { signal },
    ).catch(stillWaits);
    const [call] = await findCalls(on.pool, accountId, traceId);
    if (call === undefined) throw new Error(`The press ${traceId} was stored and is not among the calls.`);
    await pace.slow(button.id);
    return { call: callView(call) };
  };
}

async function store(on: PressOn, press: Pressed, { name, standing, environment }: PressedButton): Promise<void> {
  if (standing !== 'enabled') throw off(name, standing);
  if (environment === 'test') takeRoom(on.kept, press.accountId);
  if ((await storePress(on.pool, press)) === 'refused') throw off(name, 'disabled');
  on.nudge();
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
