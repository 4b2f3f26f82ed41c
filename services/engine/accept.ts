import type { Pool } from 'pg';
import { isMode } from '../domain/mode.ts';
import type { Environment, Verdict } from '../domain/source.ts';
import { type AskedCall, acceptCalls, type JudgedCall } from '../store/accept-statement.ts';
import { isId } from '../store/id.ts';
import { createBatch } from './batch.ts';
import type { Call } from './call.ts';
import type { KeyDigests } from './key-digests.ts';
import type { KeyUses } from './key-uses.ts';
import type { RefusalLog } from './refusals.ts';

/** How long a call may wait for its turn before it is refused as overload, in milliseconds. */
const WAIT_MS = 1_000;

/** The receipt of an accepted call: the action is stored and committed. */
export interface Receipt {
  verdict: 'accepted';
  environment: Environment;
  location: { id: string; name: string };
}

export type Acceptance = Receipt | { verdict: Exclude<Verdict, 'accepted'> };

export type Accept = (call: Call) => Promise<Acceptance>;

/**
 * Takes calls in: key, reach, may it fire, mode, gate, stored, in one statement for all calls of a tick (DESIGN.md 5).
 *
 * `settle` applies what waits for one source and returns when it is done: only for the rare trigger of a gated alarm
 * whose earlier calls are not applied yet. `onStored` is called after each commit that stored something. Throws when the
 * database cannot be reached or does not answer in time: then the call was not accepted.
 */
export function createAccept(engine: {
  pool: Pool;
  digests: KeyDigests;
  refusals: RefusalLog;
  keyUses: KeyUses;
  settle(accountId: string, sourceId: string): Promise<void>;
  onStored(): void;
}): Accept {
  const submit = createBatch<AskedCall, JudgedCall>(async calls => {
    const judged = await acceptCalls(engine.pool, calls);
    if (judged.some(call => call.verdict === 'accepted')) engine.onStored();
    return judged;
  }, WAIT_MS);

  return async call => {
    const digest = engine.digests.digestOf(call.secret);
    if (digest === null) return { verdict: 'key_unknown' };
    const asked = ask(call, digest);
    let judged = await submit(asked);
    if (judged.verdict === 'unsettled') {
      await engine.settle(judged.account_id!, call.sourceId);
      judged = await submit({ ...asked, gate: 'settled' });
    }
    if (opens(judged)) engine.keyUses.note(judged, call.from);
    if (judged.verdict === 'accepted') return receipt(judged);
    if (judged.verdict === 'key_unknown') engine.digests.markUnknown(digest);
    else engine.refusals.add(call, judged);
    return { verdict: judged.verdict as Exclude<Verdict, 'accepted'> };
  };
}

/** Whether the key was good, whatever became of the call. */
function opens(judged: JudgedCall): judged is JudgedCall & { account_id: string; key_id: string } {
  return judged.key_id !== null && !judged.verdict.startsWith('key_');
}

/** Words from outside never reach the database: what is not an identifier or one of the four modes only says so. */
function ask(call: Call, digest: Buffer): AskedCall {
  const word = call.modeWord;
  return {
    digest,
    kind: call.kind,
    sourceId: isId(call.sourceId) ? call.sourceId : '',
    verb: call.verb,
    named: word === undefined ? null : isMode(word) ? word : 'unknown',
    traceId: call.traceId,
    gate: 'unsettled',
  };
}

function receipt(judged: JudgedCall): Receipt {
  return {
    verdict: 'accepted',
    environment: judged.environment!,
    location: { id: judged.location_id!, name: judged.location_name! },
  };
}
