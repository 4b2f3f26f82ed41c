import { Code, ConnectError } from '@connectrpc/connect';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { DrillRequest } from '../../gen/tocsin/console/v1/drills_pb.ts';
import { countSpend, refuseOverCap } from '../accounts/spend.ts';
import type { Channel } from '../channels/channel.ts';
import { addressedTo, canBeTried, channelOf, reachableOf, verificationOf } from '../configuration/contact-channel.ts';
import { thingNamed } from '../configuration/no-such.ts';
import { DRILL_OUTCOMES, detailOf } from '../configuration/outcome.ts';
import { readMeans } from '../configuration/plan-coverage.ts';
import { contact as contactResource } from '../configuration/resources/contact.ts';
import type { Drill } from '../domain/alert.ts';
import type { AttemptOutcome, ChannelKind } from '../domain/delivery.ts';
import { wouldReach } from '../domain/reach.ts';
import { DRILLS_MOST } from '../limits/table.ts';
import type { RateLimit } from '../limits/times.ts';
import { say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import { inTransaction } from '../store/statement.ts';
import type { DrillSituation } from '../words/owner/types.ts';
import { countUnverified } from './unverified-guard.ts';

/** What a drill needs. */
export interface DrillOn {
  pool: Pool;
  orm: MikroORM;
  /** KEY_PEPPER, under which addresses are digested. */
  pepper: Pepper;
  seal: Seal;
  channels: { byKind: Record<ChannelKind, Pick<Channel, 'send'>> };
  carriers: readonly ChannelKind[];
  /** DRILLS_MOST. */
  limit: RateLimit;
}

/**
 * Sends a test message to one contact over one channel now, through the same channel as alerts, and returns the
 * outcome. Stores nothing: "last delivered" is for real alerts (DECISIONS.md "Contact"). The plan applies as it does to
 * alerts (DECISIONS.md "Text and call without plan").
 */
export async function drill(deps: DrillOn, accountId: string, request: DrillRequest) {
  const stored = await thingNamed(
    { em: deps.orm.em.fork(), accountId, seal: deps.seal },
    contactResource,
    request.contactId,
  );
  const contact = stored.doc;
  const { channel, address, disabledReason } = channelOf(contact, request);
  const { means, at } = await readMeans(deps.pool, accountId, deps.carriers);
  const pass = deps.limit.take(accountId, at.getTime());
  if (pass.kind === 'too_many') throw tooMany(pass.retryAfterS);

  const began = performance.now();
  const to = { ...addressedTo(contact, accountId, at.getTime()), contactId: stored.id };
  const message: Drill = { ...to, purpose: 'drill', at: at.getTime() };
  const alone = reachableOf({ ...stored, doc: { ...contact, channels: [{ channel, address, disabledReason }] } });
  const live = wouldReach(alone, channel, means, at.getTime());
  const tried = canBeTried({ channel, address }, means, at.getTime());
  if (tried !== 'plan_required') await refuseOverCap(deps.pool, accountId, channel);
  if (tried !== 'plan_required' && verificationOf(stored, { channel, address }) === 'not_verified') {
    await inTransaction(deps.pool, client =>
      countUnverified(client, deps.pepper, accountId, { contact, channel, address }),
    );
  }
  // Without a carrier the channel says what it would have sent.
  const outcome: AttemptOutcome =
    tried === 'plan_required'
      ? { kind: 'obstacle', reason: tried }
      : await deps.channels.byKind[channel].send(address, message);
  await countSpend(deps.pool, accountId, channel, outcome);
  const situation: DrillSituation = {
    contactKey: contact.key,
    contactName: contact.name,
    channel,
    tried,
    live,
    disabledReason,
  };
  return {
    outcome: DRILL_OUTCOMES[outcome.kind],
    detail: detailOf(outcome),
    keptMessage: outcome.kind === 'kept' ? outcome.message : '',
    fix: say().drills(outcome, situation),
    tookMs: Math.round(performance.now() - began),
  };
}

function tooMany(retryAfterS: number): ConnectError {
  return new ConnectError(say().refusals.tooManyDrills(DRILLS_MOST.most, retryAfterS), Code.ResourceExhausted);
}
