import { Code, ConnectError } from '@connectrpc/connect';
import type { DrillRequest } from '../../gen/tocsin/console/v1/drills_pb.ts';
import type { Channel } from '../channels/channel.ts';
import type { Drill } from '../domain/alert.ts';
import { type AttemptOutcome, CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { channelInPlan } from '../domain/plan.ts';
import { newId } from '../store/id.ts';
import type { Seal } from '../store/seal.ts';
import type { Connection } from '../store/statement.ts';
import type { DrillLimit } from './drill-limit.ts';
import { DRILL_OUTCOMES, type DrillSituation, drillFix } from './drill-words.ts';
import { invalidFields, noSuch } from './errors.ts';
import { shown } from './fields.ts';
import { type ContactDoc, contact as contactNoun } from './nouns/contact.ts';
import { readOne } from './read.ts';
import { readMeans } from './readiness-load.ts';

/** What a drill stands on. */
export interface DrillOn {
  pool: Connection;
  seal: Seal;
  channels: { byKind: Record<ChannelKind, Pick<Channel, 'send'>> };
  carriers: readonly ChannelKind[];
  limit: DrillLimit;
}

type Contact = ContactDoc & { id: string };

/**
 * Sends a test message to one contact over one channel now, through the same channel as alerts, and tells what came of it.
 * Nothing is stored: "last delivered" is for real alerts (DECISIONS.md "Contact"). The plan holds for it as for alerts
 * (DECISIONS.md "Text and call without plan").
 */
export async function drill(on: DrillOn, accountId: string, request: DrillRequest) {
  const contact = await contactOf(on, accountId, request.contactId);
  const { channel, address, disabledReason } = channelOf(contact, request.channel);
  const { means, at } = await readMeans(on.pool, accountId, on.carriers);
  const pass = on.limit.take(accountId, at.getTime());
  if (pass.kind === 'too_many') throw tooMany(pass.retryAfterS);

  const began = performance.now();
  const outcome: AttemptOutcome =
    channelInPlan(means.account, channel, at.getTime()) === 'plan_required'
      ? { kind: 'obstacle', reason: 'plan_required' }
      : await on.channels.byKind[channel].send(address, drillMessage(accountId, contact, at.getTime()));
  const situation: DrillSituation = {
    contactName: contact.name,
    channel,
    carrier: on.carriers.includes(channel) ? 'there' : 'none',
    disabledReason,
  };
  return {
    outcome: DRILL_OUTCOMES[outcome.kind],
    detail: 'providerRef' in outcome ? outcome.providerRef : outcome.reason,
    keptMessage: outcome.kind === 'kept' ? outcome.message : '',
    fix: drillFix(outcome, situation),
    tookMs: Math.round(performance.now() - began),
  };
}

async function contactOf({ pool, seal }: DrillOn, accountId: string, named: string): Promise<Contact> {
  const stored = await readOne(pool, contactNoun, accountId, seal, named);
  if (stored === null) throw noSuch('contact');
  return { ...stored.doc, id: stored.id };
}

/** One that is switched off is tried too: that is how its owner finds out whether it works again. */
function channelOf({ name, channels }: Contact, word: string) {
  const found = channels.find(({ channel }) => channel === word);
  if (found !== undefined) return found;
  const has = CHANNELS.filter(kind => channels.some(({ channel }) => channel === kind)).join(', ') || 'none yet';
  throw invalidFields([{ field: 'channel', problem: `takes one that ${name} has (${has}), got ${shown(word)}.` }]);
}

function tooMany(retryAfterS: number): ConnectError {
  const message = `Too many drills: an account has at most 10 a minute. Try again in ${retryAfterS} s.`;
  return new ConnectError(message, Code.ResourceExhausted);
}

/** An alert of nothing: there is no source, no incident and no policy that it could name. */
function drillMessage(accountId: string, { name, locale, timeZone, voice }: Contact, at: number): Drill {
  return {
    deliveryId: newId(),
    accountId,
    purpose: 'drill',
    attempt: 1,
    firstTriedAt: at,
    contactName: name,
    locale,
    timeZone,
    voice,
    at,
  };
}
