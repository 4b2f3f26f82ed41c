import { randomUUID } from 'node:crypto';
import { type Accept, type Acceptance, createAccept } from '../../../services/engine/accept/accept.ts';
import type { Call } from '../../../services/engine/accept/call.ts';
import { engagedSources } from '../../../services/engine/apply/decided.ts';
import { NO_RATE_LIMITS } from '../../../services/limits/rate-limits.ts';
import { createKeyDigests } from '../../../services/store/key-digests.ts';
import { WAITING_CALLS, type WaitingCall } from '../../support/waiting.ts';
import { PEPPER, type World } from '../../support/world.ts';

/** What a process that accepts stands on, on the database of a world. */
export function foundations({ store }: World): Parameters<typeof createAccept>[0] {
  return {
    pool: store.accepting,
    digests: createKeyDigests(PEPPER),
    refusals: { add() {}, turnAway() {}, flush: async () => {}, close: async () => {} },
    keyUses: { note() {} },
    limits: NO_RATE_LIMITS,
    engagedOf: seqs => engagedSources(store.pool, seqs),
    believed: () => undefined,
    onStored() {},
  };
}

/** One more process that accepts calls on the database of a world, with a memory of its own. */
export function anotherProcess(world: World): Accept {
  return createAccept(foundations(world));
}

/** A call as a door hands it over: a bare trigger of an alarm where nothing else is said. */
export function aCall(secret: string, over: Partial<Call>): Call {
  return {
    secret,
    kind: 'alarm',
    sourceId: '',
    verb: 'trigger',
    traceId: randomUUID(),
    parentTraceId: null,
    from: () => ({ address: '192.0.2.1', agent: 'a panel' }),
    ...over,
  };
}

/** The verdicts of calls, in their order. */
export function verdicts(judged: readonly Acceptance[]): string[] {
  return judged.map(({ verdict }) => verdict);
}

/** What waits, by trace id, in accepted order. */
export async function waitingCalls(world: World): Promise<Map<string, WaitingCall>> {
  const rows = await world.rows<WaitingCall>(`SELECT * FROM (${WAITING_CALLS}) w ORDER BY w.id::bigint`);
  return new Map(rows.map(row => [row.trace_id, row]));
}
