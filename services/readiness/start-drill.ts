import { Code, ConnectError } from '@connectrpc/connect';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { StartDrillRequest } from '../../gen/tocsin/console/v1/drills_pb.ts';
import { refuseOverCap } from '../accounts/spend.ts';
import { channelOf, verifiableChannelOf } from '../configuration/contact-channel.ts';
import { thingNamed } from '../configuration/no-such.ts';
import { contact as contactResource } from '../configuration/resources/contact.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import type { NotReached } from '../domain/reach.ts';
import { DRILLS_MOST } from '../limits/table.ts';
import type { RateLimit } from '../limits/times.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';

/** The engine's answer to a drill that is asked for (engine/drill.ts). */
export type StartDrill = (asked: {
  accountId: string;
  contactId: string;
  channel: ChannelKind;
  actor: string;
}) => Promise<
  | { kind: 'started'; incidentId: string }
  | { kind: 'not_reached'; because: NotReached }
  | { kind: 'busy' }
  | { kind: 'refused'; because: 'incident' | 'no_location' | 'no_contact' }
>;

/** What starting a drill needs. */
export interface StartDrillOn {
  pool: Pool;
  orm: MikroORM;
  seal: Seal;
  limit: RateLimit;
  startDrill: StartDrill;
}

/**
 * Starts a drill of one contact over one channel now, which asks them to answer as to an alarm (DECISIONS.md "Drill").
 * Throws INVALID_ARGUMENT for a channel that they do not have or that nobody can answer, FAILED_PRECONDITION where it
 * would not reach them or an incident is open, RESOURCE_EXHAUSTED, and UNAVAILABLE while
 * the account is being changed.
 */
export async function startDrill(
  deps: StartDrillOn,
  { accountId, actor }: AccountAccess,
  request: StartDrillRequest,
  now: number,
): Promise<{ incidentId: string }> {
  const named = { em: deps.orm.em.fork(), accountId, seal: deps.seal };
  const { id, doc } = await thingNamed(named, contactResource, request.contactId);
  const over = { channel: request.channel, address: '' };
  channelOf(doc, over);
  const { channel } = verifiableChannelOf(doc, over);
  const pass = deps.limit.take(accountId, now);
  const { refusals, drillRefusals } = say();
  if (pass.kind === 'too_many') {
    throw new ConnectError(refusals.tooManyDrills(DRILLS_MOST.most, pass.retryAfterS), Code.ResourceExhausted);
  }
  await refuseOverCap(deps.pool, accountId, channel);
  const started = await deps.startDrill({ accountId, contactId: id, channel, actor: actor.name });
  if (started.kind === 'started') return { incidentId: started.incidentId };
  if (started.kind === 'busy') throw new ConnectError(drillRefusals.busy, Code.Unavailable);
  const problem =
    started.kind === 'not_reached'
      ? drillRefusals.notReached(doc.name, channel, started.because)
      : drillRefusals[started.because];
  throw new ConnectError(problem, Code.FailedPrecondition);
}
