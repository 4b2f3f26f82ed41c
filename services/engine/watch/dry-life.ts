import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { KEEP_ALL } from '../../limits/kept.ts';
import { newId } from '../../store/id.ts';
import { rolledBack } from '../../store/statement.ts';
import { lockSources, readSources, type SourceRow } from '../../store/statements/apply.ts';
import type { WaitingAction } from '../../store/statements/journal.ts';
import { loadPolicies } from '../apply/decided.ts';
import { LIMITS } from '../apply/limits.ts';
import { applyWorks, createMessageBudget } from '../apply/works.ts';
import { beginDryLife, plannedInDryLife } from './statements/watch.ts';

/**
 * Lives an alarm's whole life in one transaction that is rolled back: an account with a panic button, its policy, a live
 * trigger, its incident, the message to its person. Nobody ever sees any of it, and no row is left. Returns how long
 * that took, in milliseconds. Throws where the message would not have been sent.
 */
export async function liveDry(pool: Pool, log: Logger): Promise<number> {
  const began = performance.now();
  await rolledBack(pool, client => live(client, log));
  return performance.now() - began;
}

async function live(client: PoolClient, log: Logger): Promise<void> {
  const [account, location, contact, policy, source] = [newId(), newId(), newId(), newId(), newId()];
  const seq = await beginDryLife(client, { account, location, contact, policy, source });
  await lockSources(client, [seq]);
  const [row] = await readSources(client, [seq]);
  const works = [{ row: row!, ready: [triggerOf(row!)], upTo: row!.now }];
  const policyOf = await loadPolicies(client, works);
  const on = { client, log, policyOf, carriers: ['email'] as const, kept: KEEP_ALL, folds: {}, settle: async () => {} };
  const { messagesOfAccount: most } = LIMITS;
  await applyWorks(on, works, { budget: createMessageBudget(most, most, KEEP_ALL), heaviest: most, how: 'together' });
  const planned = await plannedInDryLife(client, account);
  if (planned.length === 1 && planned[0]!.status === 'scheduled' && planned[0]!.channel === 'email') return;
  throw new Error(`an alarm planned ${JSON.stringify(planned)} and not its one message`);
}

function triggerOf({ seq, now }: SourceRow): WaitingAction {
  return {
    id: '1',
    sourceSeq: seq,
    verb: 'trigger',
    mode: null,
    environment: 'live',
    windowS: 0,
    onlyWhenArmed: false,
    traceId: randomUUID(),
    parentTraceId: null,
    confirmedAt: null,
    keySeq: null,
    acceptedAt: now,
    incidentId: null,
    actor: null,
    via: null,
    contactId: null,
  };
}
