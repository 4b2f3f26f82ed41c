import { Code, ConnectError } from '@connectrpc/connect';
import type { Owner } from '../support/owner.ts';
import type { Answer, World } from '../support/world.ts';

export const DAY_S = 86_400;

/** Calls as the owner sees them: their outcomes, and `gone` for those that are not there. One after the other, as there may be many. */
export async function outcomes(owner: Pick<Owner, 'call'>, answers: readonly Answer[]): Promise<string[]> {
  const found: string[] = [];
  for (const answer of answers) {
    const outcome = await owner.call(answer).then(
      call => call.outcome,
      (fault: unknown) => {
        if (fault instanceof ConnectError && fault.code === Code.NotFound) return 'gone';
        throw fault;
      },
    );
    found.push(outcome);
  }
  return found;
}

/** How many rows are left of an account, by table. */
export async function rowsOf(world: World, { accountId }: Pick<Owner, 'accountId'>): Promise<Record<string, number>> {
  const [counts] = await world.rows<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM logged_call WHERE account_seq = a.seq) AS calls,
       (SELECT count(*)::int FROM window_end WHERE account_seq = a.seq) AS windows,
       (SELECT count(*)::int FROM incident WHERE account_id = a.id) AS incidents,
       (SELECT count(*)::int FROM incident_entry WHERE account_id = a.id) AS entries,
       (SELECT count(*)::int FROM delivery WHERE account_id = a.id) AS deliveries,
       (SELECT count(*)::int FROM notice WHERE account_id = a.id) AS notices
     FROM account a WHERE a.id = $1`,
    [accountId],
  );
  return counts!;
}

/** An account with an alarm that has a false-alarm window of 30 s and tells Anna. */
export async function family(world: World) {
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const house = await owner.alarm({ modes: { away: { policyId, windowS: 30 } } });
  const key = await owner.key();
  return { ...owner, house, act: (verb: string, id = house) => world.get(`/v1/alarm/${id}/${verb}`, key) };
}

export type Family = Awaited<ReturnType<typeof family>>;

/** An incident that opened from its window with two triggers, that nobody answered, and that was ended by a call. */
export async function anIncident(world: World, { act }: Family): Promise<Answer[]> {
  const fired = [await act('trigger'), await act('trigger')];
  await world.advance(31);
  await world.advance(600);
  const ended = await act('clear');
  await world.settle();
  return [...fired, ended];
}
